import { useQuery } from '@tanstack/react-query';
import { History, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { beginOperation, planOperation } from '@/api/operations';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant, Took } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { toast, toastError } from '@/components/toast';
import { ExecutorLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { forEach } from '@/lib/each';
import { quoted } from '@/lib/query';
import { followOperation } from '../operations/OperationNote';
import type { Run } from '../runs/queries';
import { RunTable } from '../runs/RunTable';
import { useRunList } from '../runs/useRunList';
import { type Queue, runningQuery } from './queries';
import { replayCommand, replaySpec } from './replay';
import { RunName } from './RunName';
import css from './Queues.module.css';

/** What holds the slots of a queue, the one that runs for longest first. */
export function RunningRuns({ queue, ns }: { queue: Queue; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(runningQuery(queue.name));
  const max = queue.max_running;
  const columns: Column<Run>[] = [
    { id: 'job', header: t.runs.job, cell: (run) => <RunName run={run} ns={ns} /> },
    { id: 'started', header: t.runs.started, width: '11rem', wide: true, cell: (run) => <Instant at={run.started_at} /> },
    { id: 'took', header: t.runs.took, width: '7rem', align: 'end', cell: (run) => <Took from={run.started_at} to={run.ended_at} /> },
    { id: 'worker', header: t.runs.executor, width: '10rem', cell: (run) => <ExecutorLink of={run} ns={ns} /> },
  ];
  return (
    <Panel
      title={t.queues.holders}
      aside={
        typeof max === 'number' ? (
          <span className={css.used}>
            {t.queues.running_of(formats.number(queue.running), formats.number(max))}
            <meter min={0} max={max} value={queue.running} aria-label={t.queues.running} />
          </span>
        ) : (
          formats.number(queue.running)
        )
      }
      flush
    >
      <Loaded query={query} what={t.queues.holders}>
        {({ items }) => <DataTable label={t.queues.holders} columns={columns} rows={[...items].reverse()} rowKey={(run) => run.id} rowName={(run) => run.job} empty={<p className={css.nothing}>{t.queues.nothingRuns}</p>} />}
      </Loaded>
    </Panel>
  );
}

/** What of a queue has failed, to be run again. */
export function FailedRuns({ queue, ns }: { queue: string; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useRunList('-', { q: `queue:${quoted(queue)} state:failed` });
  const replay = async () => {
    const yes = await confirm({ title: t.queues.replayMany(formats.number(selected.size)), text: t.queues.replayText, action: t.queues.replay });
    if (!yes) return;
    const { done, failed } = await forEach([...selected], (run) => ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path: { run }, header: { 'Idempotency-Key': idempotencyKey() } }, body: {} })));
    setSelected(new Set());
    const refused = failed.length > 0 ? ` ${t.runs.someFailed(formats.number(failed.length))} ${failed[0] ? t.said.both(failed[0].error) : ''}` : '';
    toast({ tone: failed.length > 0 ? 'bad' : 'good', text: `${t.queues.replayed(formats.number(done.length))}${refused}` });
  };
  const replayAll = async () => {
    try {
      const spec = replaySpec(queue);
      const { total } = await planOperation(spec);
      if (total === 0) return void toast({ text: t.queues.nothingToReplay });
      const yes = await confirm({ title: t.queues.replayMany(formats.number(total)), text: t.queues.replayAllText, action: t.queues.replayAll, reason: true, command: replayCommand(queue) });
      if (yes) followOperation({ operation: await beginOperation(yes.reason === '' ? spec : { ...spec, reason: yes.reason }) });
    } catch (error) {
      toastError(t.queues.replayAll, error);
    }
    return undefined;
  };
  return (
    <Panel
      title={t.queues.failed}
      aside={
        <span className={css.acts}>
          <Button size="s" icon={RotateCw} disabledReason={selected.size === 0 ? t.queues.chooseFirst : undefined} onClick={() => void replay()}>
            {t.queues.replay}
          </Button>
          <Button size="s" icon={History} disabledReason={list.rows?.length === 0 ? t.queues.nothingFailed : undefined} onClick={() => void replayAll()}>
            {t.queues.replayAll}
          </Button>
        </span>
      }
      flush
    >
      <div className={css.past}>
        <RunTable ns={ns} list={list} job chosen={['job', 'ended', 'attempt', 'reason']} selected={selected} onSelect={setSelected} empty={<p className={css.nothing}>{t.queues.nothingFailed}</p>} />
      </div>
    </Panel>
  );
}
