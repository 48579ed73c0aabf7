import { Link, useNavigate } from '@tanstack/react-router';
import { Ban, X } from 'lucide-react';
import { lazy, useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { complete } from '@/api/facets';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { ColumnMenu } from '@/components/DataTable';
import { ExportMenu } from '@/components/ExportMenu';
import { NothingMatches, NothingYet } from '@/components/Feedback';
import { GroupMenu } from '@/components/GroupMenu';
import { Instant } from '@/components/Instant';
import { MenuChoice } from '@/components/Menu';
import { Page } from '@/components/Page';
import { Peeking } from '@/components/Peek';
import { QueryInput, queryProblem } from '@/components/QueryInput';
import { StateGlyph } from '@/components/StateBadge';
import { toast } from '@/components/toast';
import { ViewsMenu } from '@/components/ViewsMenu';
import { useFormats, useT } from '@/i18n';
import { forEach } from '@/lib/each';
import { neighbour } from '@/lib/neighbour';
import type { State } from '@/states';
import { runHead, runRow, useRunColumns } from './columns';
import { RUN_GROUPS } from './groups';
import { type Run, runsPath } from './queries';
import { runsRoute } from './routes';
import css from './Runs.module.css';
import { RunTable } from './RunTable';
import { statesOf, withStates } from './search';
import { useRunList } from './useRunList';

const RunPeek = lazy(() => import('./RunPeek').then((module) => ({ default: module.RunPeek })));

const quick: readonly State[] = ['running', 'queued', 'failed', 'succeeded', 'cancelled', 'skipped'];

export function RunsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = runsRoute.useParams();
  const search = runsRoute.useSearch();
  const navigate = useNavigate();
  const columns = useRunColumns({ job: true, namespace: ns === '-' });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const q = search.q ?? '';
  const list = useRunList(ns, { q: search.q, from: search.from, to: search.to });
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  const states = statesOf(q);
  const filtered = q !== '' || search.from !== undefined || search.to !== undefined;

  const step = (by: 1 | -1) => {
    const next = neighbour(list.rows ?? [], ({ id }) => id === search.peek, by);
    return next && (() => set({ peek: next.id }));
  };

  const cancel = async () => {
    const yes = await confirm({ title: t.runs.cancelMany(formats.number(selected.size)), text: t.runs.cancelManyText, action: t.run.cancel, tone: 'danger', reason: true });
    if (!yes) return;
    const body = yes.reason === '' ? {} : { reason: yes.reason };
    const { done, failed } = await forEach([...selected], (run) => ask(api.POST('/api/v1/runs/{run}/cancel', { params: { path: { run }, header: { 'Idempotency-Key': idempotencyKey() } }, body })));
    setSelected(new Set());
    const refused = failed.length > 0 ? ` ${t.runs.someFailed(formats.number(failed.length))} ${failed[0] ? t.said.both(failed[0].error) : ''}` : '';
    toast({ tone: failed.length > 0 ? 'bad' : 'good', text: `${t.runs.cancelled(formats.number(done.length))}${refused}` });
  };

  return (
    <Page
      title={t.shell.runs}
      fill
      actions={
        <div className={css.menus}>
          <ViewsMenu page="runs" active={search.view} search={{ q, cols: search.cols, group: search.group }} onOpen={(view, { q, cols, group }) => set({ q, cols, group: RUN_GROUPS.find((known) => known === group), closed: undefined, view })} />
          <GroupMenu chosen={search.group && t.jobs.groupFields[search.group]}>
            <MenuChoice<string>
              value={search.group ?? ''}
              onChange={(next) => set({ group: RUN_GROUPS.find((known) => known === next), closed: undefined })}
              options={[['', t.jobs.noGroup], ...RUN_GROUPS.filter((by) => by !== 'namespace' || ns === '-').map((by) => [by, t.jobs.groupFields[by]] as const)]}
            />
          </GroupMenu>
          <ColumnMenu columns={columns} chosen={search.cols} onChoose={(cols) => set({ cols })} />
          <ExportMenu<Run> name={`runs-${ns === '-' ? 'all' : ns}`} path={runsPath(ns, { q: search.q, from: search.from, to: search.to })} head={runHead} row={runRow} />
        </div>
      }
    >
      <div className={css.filters}>
        <QueryInput
          label={t.runs.search}
          placeholder={t.runs.searchHint}
          value={q}
          onChange={(next) => set({ q: next || undefined })}
          suggest={(word, signal) => complete('runs', ns, word, signal)}
          problem={queryProblem(list.error, t)}
        />
        <div className={css.states} role="group" aria-label={t.runs.state}>
          <Button size="s" tone="quiet" aria-pressed={states.length === 0} onClick={() => set({ q: withStates(q, []) || undefined })}>
            {t.runs.anyState}
          </Button>
          {quick.map((state) => {
            const on = states.includes(state);
            return (
              <Button key={state} size="s" tone="quiet" aria-pressed={on} onClick={() => set({ q: withStates(q, on ? states.filter((one) => one !== state) : [...states, state]) || undefined })}>
                <StateGlyph state={state} /> {t.states.words[state]}
              </Button>
            );
          })}
        </div>
        {(search.from || search.to) && (
          <Button size="s" icon={X} title={t.runs.anyTime} onClick={() => set({ from: undefined, to: undefined })}>
            {search.from && (
              <>
                {t.runs.from} <Instant at={search.from} />
              </>
            )}{' '}
            {search.to && (
              <>
                {t.runs.to} <Instant at={search.to} />
              </>
            )}
          </Button>
        )}
        {selected.size > 0 && (
          <div className={css.selected}>
            <span>{t.common.selected(formats.number(selected.size))}</span>
            <Button size="s" icon={Ban} tone="danger" onClick={() => void cancel()}>
              {t.run.cancel}
            </Button>
            <Button size="s" tone="quiet" onClick={() => setSelected(new Set())}>
              {t.common.clearSelection}
            </Button>
          </div>
        )}
      </div>
      <Peeking
        panel={
          search.peek && <RunPeek id={search.peek} row={list.rows?.find(({ id }) => id === search.peek)} onStep={step} onClose={() => set({ peek: undefined })} />
        }
      >
        <RunTable
          ns={ns}
          list={list}
          job
          chosen={search.cols}
          selected={selected}
          onSelect={setSelected}
          onPeek={(run) => set({ peek: run.id === search.peek ? undefined : run.id })}
          peeked={search.peek}
          groups={search.group && { by: search.group, q, closed: search.closed ?? [], onClosed: (closed) => set({ closed }) }}
          empty={
            filtered ? (
              <NothingMatches onClear={() => set({ q: undefined, from: undefined, to: undefined })} />
            ) : (
              <NothingYet
                what={t.runs.what}
                actions={
                  <Link to="/ns/$ns/jobs" params={{ ns }}>
                    {t.runs.toJobs}
                  </Link>
                }
              >
                {t.runs.emptyText}
              </NothingYet>
            )
          }
        />
      </Peeking>
    </Page>
  );
}
