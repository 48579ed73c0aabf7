import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { raw } from '@/api/client';
import { Loaded, NothingYet } from '@/components/Feedback';
import { useZone } from '@/components/Instant';
import { StateGlyph } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { formatInstant, instant } from '@/lib/time';
import { runState } from '@/states';
import { type Run, type RunList, runsPath } from '../runs/queries';
import css from './RunGrid.module.css';
import { tasksQuery } from './queries';
import { type TaskStatus, statusesOf } from './status';

/** Runs that stand beside each other. */
const RUNS = 25;
const ROW_PX = 26;

/** Tasks by runs: how each task stood in the last runs of a workflow. */
export function RunGrid({ namespace, job, tasks }: { namespace: string; job: string; tasks: readonly string[] }) {
  const t = useT();
  const runs = useQuery({
    queryKey: ['grid-runs', namespace, job],
    queryFn: ({ signal }) => raw<RunList>('GET', `${runsPath(namespace, { job })}&limit=${RUNS}`, undefined, signal),
    meta: { topics: [`job:${namespace}/${job}`], every: 2000 },
  });
  return (
    <Loaded query={runs} what={t.runs.what}>
      {({ items }) => (items.length === 0 ? <NothingYet what={t.runs.what}>{t.jobDetail.noRuns}</NothingYet> : <Cells runs={items.toReversed()} tasks={tasks} />)}
    </Loaded>
  );
}

function Cells({ runs, tasks }: { runs: readonly Run[]; tasks: readonly string[] }) {
  const t = useT();
  const formats = useFormats();
  const zone = useZone();
  const navigate = useNavigate();
  const found = useQueries({ queries: runs.map((run) => tasksQuery(run.id)) });
  const columns = found.map(({ data }): ReadonlyMap<string, TaskStatus> => statusesOf(data ?? []));
  // Tasks of older versions stand below those that there are now.
  const names = useMemo(() => [...new Set([...tasks, ...found.flatMap(({ data }) => (data ?? []).map(({ name }) => name))])], [tasks, found]);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: names.length, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: 20 });
  const rows = virtual.getVirtualItems();
  const [active, setActive] = useState<readonly [number, number]>([0, runs.length - 1]);
  const took = runs.map((run) => Math.max(0, (run.ended_at ? instant(run.ended_at) : serverNow()) - instant(run.started_at)));
  const longest = Math.max(1, ...took.filter(Number.isFinite));
  const at = (run: Run) => formatInstant(instant(run.fire_at ?? run.created_at), { zone, language: formats.language, now: serverNow(), precision: 'minute', offset: false });
  const wordOf = (status: TaskStatus | undefined) => (status ? t.workflow.words[status.word ?? 'none'] || t.states.words[status.state] : t.common.none);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] } as const)[event.key as 'ArrowUp'];
    if (!step) return;
    event.preventDefault();
    const next = [Math.min(names.length - 1, Math.max(0, active[0] + step[0])), Math.min(runs.length - 1, Math.max(0, active[1] + step[1]))] as const;
    setActive(next);
    virtual.scrollToIndex(next[0]);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-cell="${next.join()}"]`)?.focus());
  };
  return (
    <div ref={box} className={css.box} role="region" aria-label={t.workflow.grid} tabIndex={-1}>
      <table className={css.grid} aria-label={t.workflow.grid} aria-rowcount={names.length + 1} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <td />
            {runs.map((run, index) => (
              <th key={run.id} scope="col">
                <Link to="/ns/$ns/runs/$run" params={{ ns: run.namespace, run: run.id }} aria-label={`${at(run)}, ${t.states.words[runState(run)]}`} title={at(run)}>
                  <span className={css.bar} data-state-word={runState(run)} style={{ height: `${Math.max(3, (28 * (took[index] ?? 0)) / longest)}px` }} />
                  <StateGlyph state={runState(run)} />
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(rows[0]?.start ?? 0) > 0 && (
            <tr aria-hidden="true">
              <td style={{ height: rows[0]?.start }} />
            </tr>
          )}
          {rows.map(({ index: row }) => {
            const name = names[row] ?? '';
            return (
              <tr key={name} aria-rowindex={row + 2}>
                <th scope="row">{name}</th>
                {runs.map((run, column) => {
                  const status = columns[column]?.get(name);
                  return (
                    <td key={run.id}>
                      {status && (
                        <button
                          type="button"
                          data-cell={`${row},${column}`}
                          tabIndex={row === active[0] && column === active[1] ? 0 : -1}
                          aria-label={`${name}, ${at(run)}: ${wordOf(status)}`}
                          title={`${name}\n${at(run)}\n${wordOf(status)}`}
                          onFocus={() => setActive([row, column])}
                          onClick={() => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: run.namespace, run: run.id }, search: { task: name } })}
                        >
                          <StateGlyph state={status.state} />
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          {virtual.getTotalSize() - (rows.at(-1)?.end ?? 0) > 0 && (
            <tr aria-hidden="true">
              <td style={{ height: virtual.getTotalSize() - (rows.at(-1)?.end ?? 0) }} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
