import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, useMemo, useRef, useState } from 'react';
import { complete } from '@/api/facets';
import { asApiError } from '@/api/problem';
import buttonCss from '@/components/Button.module.css';
import { CommandLine } from '@/components/Copy';
import { ColumnMenu, DataTable } from '@/components/DataTable';
import { ExportMenu } from '@/components/ExportMenu';
import { Failure, NothingMatches, NothingYet, Skeleton, StaleNote } from '@/components/Feedback';
import { Page } from '@/components/Page';
import { Peeking } from '@/components/Peek';
import { QueryInput, queryProblem } from '@/components/QueryInput';
import { Segments } from '@/components/Segments';
import { ViewsMenu } from '@/components/ViewsMenu';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { useKept, useSearchError } from '@/lib/kept';
import { neighbour } from '@/lib/neighbour';
import { valueOf, withValue } from '@/lib/query';
import css from './Jobs.module.css';
import { groupByOf } from './groups';
import { JobGroupMenu } from './JobGroupMenu';
import { jobColumns, jobHead, jobRow } from './columns';
import { type Job, allMatching, jobsPath, jobsQuery } from './queries';
import { jobsRoute } from './routes';
import { SelectionBar } from './SelectionBar';
import { keyOf, placeOf } from './selection';
import { useJobGroups } from './useJobGroups';

const JobPeek = lazy(() => import('./JobPeek').then((module) => ({ default: module.JobPeek })));

/** Jobs that one choice takes at most. */
const CHOOSE_MAX = 10_000;

export function JobsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = jobsRoute.useParams();
  const { q = '', view, sort, cols, group, open = [], peek } = jobsRoute.useSearch();
  const navigate = useNavigate();
  const by = groupByOf(group);
  const query = useInfiniteQuery({ ...jobsQuery(ns, { q, sort }), enabled: by === undefined });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const known = useRef(new Map<string, boolean>());

  const fetched = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  const listed = useKept(fetched);
  const grouped = useJobGroups({ ns, q, sort, by, open, onOpen: (next) => search({ open: next }) });
  const groups = useKept(grouped.groups);
  const rows = by ? groups && grouped.rows : listed;
  const retry = () => (by ? grouped.retry() : void query.refetch());
  for (const job of rows ?? []) known.current.set(keyOf(job), job.paused);
  const columns = useMemo(() => jobColumns(t, formats, ns), [t, formats, ns]);

  const found = useSearchError(q, by ? grouped.error : query.error, (by ? grouped.groups : fetched) !== undefined);
  const error = found && asApiError(found);
  const wrongQuery = queryProblem(error, t);

  const search = (change: { q?: string | undefined; view?: string | undefined; sort?: string | undefined; cols?: string[] | undefined; group?: string | undefined; open?: string[] | undefined; peek?: string | undefined }) =>
    void navigate({ to: '.', search: { q: q || undefined, view, sort, cols, group, open: open.length > 0 ? open : undefined, peek, ...change } as never, replace: true });
  const peeked = peek && (ns === '-' ? peek : keyOf({ namespace: ns, name: peek }));
  const show = (job: Job | undefined) => search({ peek: job && (ns === '-' ? keyOf(job) : job.name) });
  const step = (by: 1 | -1) => {
    const next = neighbour(rows ?? [], (job) => keyOf(job) === peeked, by);
    return next && (() => show(next));
  };
  const choose = (keys: ReadonlySet<string>) => {
    setAll(false);
    setSelected(keys);
  };
  const chooseAll = async () => {
    try {
      const found = await allMatching(ns, { q, sort: undefined }, CHOOSE_MAX);
      for (const job of found.jobs) known.current.set(keyOf(job), job.paused);
      choose(new Set(found.jobs.map(keyOf)));
      // An operation is of one namespace: over all of them, jobs are chosen by name.
      setAll(!found.isAll && ns !== '-');
      if (!found.isAll && ns === '-') toast({ text: t.jobs.chosenFirst(formats.number(CHOOSE_MAX)) });
    } catch (cause) {
      toastError(t.errors.action(t.jobs.allMatching), cause);
    }
  };
  const state = valueOf(q, 'state') ?? '';
  const chips = ['', 'failing', 'running', 'paused', 'never'] as const;
  const newJob = (
    <Link to="/ns/$ns/jobs/new" params={{ ns: ns === '-' ? 'default' : ns }} className={`${buttonCss.button} ${buttonCss.m} ${buttonCss.primary}`}>
      <Plus size={14} aria-hidden="true" />
      {t.jobs.newJob}
    </Link>
  );

  return (
    <Page title={t.jobs.title} fill actions={newJob}>
      <div className={css.tools}>
        <QueryInput
          label={t.jobs.search}
          placeholder={t.jobs.searchHint}
          value={q}
          onChange={(next) => search({ q: next || undefined })}
          suggest={(word, signal) => complete('jobs', ns, word, signal)}
          problem={wrongQuery}
        />
        <Segments label={t.jobs.stateFilter} options={chips.map((value) => [value, t.jobs.chips[value || 'all']] as const)} value={state} onChange={(value) => search({ q: withValue(q, 'state', value || undefined) || undefined })} />
        <ViewsMenu page="jobs" active={view} search={{ q, sort, cols, group }} onOpen={(name, to) => search({ q: undefined, sort: undefined, cols: undefined, group: undefined, open: undefined, ...to, view: name })} />
        <JobGroupMenu ns={ns} group={by && group} onGroup={(next) => search({ group: next, open: undefined })} />
        <ColumnMenu columns={columns} chosen={cols} onChoose={(ids) => search({ cols: ids })} />
        <ExportMenu<Job> name={`jobs-${ns === '-' ? 'all' : ns}`} path={jobsPath(ns, { q, sort })} head={jobHead} row={jobRow} />
      </div>
      {selected.size > 0 && (
        <SelectionBar
          keys={selected}
          isPaused={(key) => known.current.get(key)}
          byQuery={isAll ? { namespace: ns, q } : undefined}
          count={isAll ? t.jobs.moreThan(t.jobs.jobCount(CHOOSE_MAX, formats.number(CHOOSE_MAX))) : t.jobs.jobCount(selected.size, formats.number(selected.size))}
          onAll={(by || query.hasNextPage) && !isAll ? () => void chooseAll() : undefined}
          onClear={() => choose(new Set())}
        />
      )}
      {error && !wrongQuery && rows && <StaleNote error={error} onRetry={retry} />}
      {by && grouped.isPartial && (
        <p className={css.note} role="note">
          {t.jobs.groupsPartial}
        </p>
      )}
      {rows ? (
        <Peeking panel={peeked && <JobPeek {...placeOf(peeked)} row={rows.find((job) => keyOf(job) === peeked)} onStep={step} onClose={() => show(undefined)} />}>
          <DataTable<Job>
            label={t.jobs.list}
            columns={columns}
            chosen={cols}
            rows={rows}
            groups={by && groups}
            rowKey={keyOf}
            rowName={(job) => job.name}
            sort={sort ?? 'name'}
            onSort={(next) => search({ sort: next === 'name' ? undefined : next })}
            onOpen={(job) => void navigate({ to: '/ns/$ns/jobs/$job', params: { ns: job.namespace, job: job.name } })}
            onPeek={(job) => show(keyOf(job) === peeked ? undefined : job)}
            peeked={peeked}
            selected={selected}
            onSelect={choose}
            rowTone={(job) => (job.paused ? 'muted' : undefined)}
            waiting={(by ? grouped.isWaiting : fetched === undefined) && !error}
            more={by ? undefined : { has: query.hasNextPage, busy: query.isFetchingNextPage, load: () => void query.fetchNextPage() }}
            empty={
              q === '' ? (
                <NothingYet what={t.jobs.title} actions={newJob}>
                  <p>{t.jobs.emptyText}</p>
                  <CommandLine text={`mainspring apply -f jobs.yaml${ns === '-' ? '' : ` -n ${ns}`}`} />
                </NothingYet>
              ) : !by && query.hasNextPage ? undefined : (
                <NothingMatches onClear={() => search({ q: undefined })} />
              )
            }
          />
        </Peeking>
      ) : error ? (
        wrongQuery ? (
          <NothingMatches onClear={() => search({ q: undefined })}>{wrongQuery}</NothingMatches>
        ) : (
          <Failure error={error} what={t.jobs.title} onRetry={retry} />
        )
      ) : (
        <Skeleton lines={12} />
      )}
    </Page>
  );
}
