import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { raw } from '@/api/client';
import { Loaded, NothingYet } from '@/components/Feedback';
import { useT } from '@/i18n';
import { type Run, type RunList, runsPath } from '../runs/queries';
import { GridBar } from './GridBar';
import { GridCells } from './GridCells';
import css from './RunGrid.module.css';
import { tasksQuery } from './queries';
import { type Rectangle, boxOf, byTime, chosenOf } from './rectangle';
import { type TaskStatus, statusesOf } from './status';

/** Runs that stand beside each other. */
const RUNS = 25;

export interface RunGridProps {
  namespace: string;
  job: string;
  /** Tasks that are shown. */
  tasks: readonly string[];
  /** Tasks that are left out. */
  without: readonly string[];
}

/** Tasks by runs: how each task stood in the last runs of a workflow, and what can be done about those that are chosen. */
export function RunGrid({ namespace, job, tasks, without }: RunGridProps) {
  const t = useT();
  const runs = useQuery({
    queryKey: ['grid-runs', namespace, job],
    queryFn: ({ signal }) => raw<RunList>('GET', `${runsPath(namespace, { job })}&limit=${RUNS}`, undefined, signal),
    meta: { topics: [`job:${namespace}/${job}`], every: 2000 },
  });
  return (
    <Loaded query={runs} what={t.runs.what}>
      {({ items }) => (items.length === 0 ? <NothingYet what={t.runs.what}>{t.jobDetail.noRuns}</NothingYet> : <Grid namespace={namespace} job={job} runs={byTime(items)} tasks={tasks} without={without} />)}
    </Loaded>
  );
}

function Grid({ namespace, job, runs, tasks, without }: RunGridProps & { runs: readonly Run[] }) {
  const found = useQueries({ queries: runs.map((run) => tasksQuery(run.id)) });
  const statuses = found.map(({ data }): ReadonlyMap<string, TaskStatus> => statusesOf(data ?? []));
  // Tasks of older versions stand below those that there are now.
  const names = useMemo(() => {
    const all = new Set([...tasks, ...found.flatMap(({ data }) => (data ?? []).map(({ name }) => name))]);
    for (const name of without) all.delete(name);
    return [...all];
  }, [tasks, without, found]);
  const [rectangle, setRectangle] = useState<Rectangle>();
  const [picking, setPicking] = useState(false);
  const box = boxOf(rectangle, names, runs);
  const clear = () => setRectangle(undefined);
  return (
    <div className={css.whole}>
      <GridCells runs={runs} names={names} statuses={statuses} rectangle={rectangle} box={box} picking={picking} onRectangle={setRectangle} />
      <GridBar
        namespace={namespace}
        job={job}
        chosen={box ? chosenOf(box, names, runs, statuses) : []}
        all={names}
        names={box ? names.slice(box.top, box.bottom + 1) : []}
        picking={picking}
        onPicking={(on) => {
          setPicking(on);
          clear();
        }}
        onClear={clear}
      />
    </div>
  );
}
