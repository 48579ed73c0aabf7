import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pause, Play, Plus, Trash2, Zap } from 'lucide-react';
import { useMemo, useState } from 'react';
import { complete } from '@/api/facets';
import { asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import buttonCss from '@/components/Button.module.css';
import { CommandLine } from '@/components/Copy';
import { ColumnMenu, DataTable } from '@/components/DataTable';
import { Failure, NothingMatches, NothingYet, Skeleton, StaleNote } from '@/components/Feedback';
import { Page } from '@/components/Page';
import { QueryInput, queryProblem } from '@/components/QueryInput';
import { toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { useKept, useSearchError } from '@/lib/kept';
import { valueOf, withValue } from '@/lib/query';
import css from './Jobs.module.css';
import { jobColumns } from './columns';
import { type Job, allMatching, jobsQuery } from './queries';
import { jobsRoute } from './routes';
import { type BulkAction, useBulk } from './useBulk';

const keyOf = (job: Job) => `${job.namespace}/${job.name}`;
/** Jobs that one choice takes at most. */
const CHOOSE_MAX = 10_000;

export function JobsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = jobsRoute.useParams();
  const { q = '', sort, cols } = jobsRoute.useSearch();
  const navigate = useNavigate();
  const query = useInfiniteQuery(jobsQuery(ns, { q, sort }));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const bulk = useBulk();

  const fetched = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  const rows = useKept(fetched);
  const columns = useMemo(() => jobColumns(t, formats, ns), [t, formats, ns]);

  const found = useSearchError(q, query.error, fetched !== undefined);
  const error = found && asApiError(found);
  const wrongQuery = queryProblem(error);

  const search = (change: { q?: string | undefined; sort?: string | undefined; cols?: string[] | undefined }) =>
    void navigate({ to: '.', search: { q: q || undefined, sort, cols, ...change } as never, replace: true });
  const act = async (action: BulkAction) => {
    const result = await bulk.act(action, [...selected]);
    if (result) setSelected(new Set(result.failed.map(({ name }) => name)));
  };
  const chooseAll = async () => {
    try {
      const { jobs } = await allMatching(ns, { q, sort: undefined }, CHOOSE_MAX);
      setSelected(new Set(jobs.map(keyOf)));
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
        <div className={css.chips} role="group" aria-label={t.jobs.stateFilter}>
          {chips.map((value) => (
            <button key={value} type="button" className={css.chip} aria-pressed={state === value} onClick={() => search({ q: withValue(q, 'state', value || undefined) || undefined })}>
              {t.jobs.chips[value || 'all']}
            </button>
          ))}
        </div>
        <ColumnMenu columns={columns} chosen={cols} onChoose={(ids) => search({ cols: ids })} />
      </div>
      {selected.size > 0 && (
        <div className={css.selection}>
          <span>{bulk.progress ?? t.common.selected(formats.number(selected.size))}</span>
          <Button size="s" icon={Zap} onClick={() => void act('run')}>
            {t.jobs.run}
          </Button>
          <Button size="s" icon={Pause} onClick={() => void act('pause')}>
            {t.jobs.pause}
          </Button>
          <Button size="s" icon={Play} onClick={() => void act('resume')}>
            {t.jobs.resume}
          </Button>
          <Button size="s" icon={Trash2} tone="danger" onClick={() => void act('remove')}>
            {t.jobs.remove}
          </Button>
          {query.hasNextPage && (
            <Button size="s" tone="quiet" onClick={() => void chooseAll()}>
              {t.jobs.allMatching}
            </Button>
          )}
          <Button size="s" tone="quiet" onClick={() => setSelected(new Set())}>
            {t.common.clearSelection}
          </Button>
        </div>
      )}
      {error && !wrongQuery && rows && <StaleNote error={error} onRetry={() => void query.refetch()} />}
      {rows ? (
        <DataTable<Job>
          label={t.jobs.list}
          columns={columns}
          chosen={cols}
          rows={rows}
          rowKey={keyOf}
          rowName={(job) => job.name}
          sort={sort ?? 'name'}
          onSort={(next) => search({ sort: next === 'name' ? undefined : next })}
          onOpen={(job) => void navigate({ to: '/ns/$ns/jobs/$job', params: { ns: job.namespace, job: job.name } })}
          selected={selected}
          onSelect={setSelected}
          rowTone={(job) => (job.paused ? 'muted' : undefined)}
          waiting={fetched === undefined && !error}
          more={{ has: query.hasNextPage, busy: query.isFetchingNextPage, load: () => void query.fetchNextPage() }}
          empty={
            q === '' ? (
              <NothingYet what={t.jobs.title} actions={newJob}>
                <p>{t.jobs.emptyText}</p>
                <CommandLine text={`mainspring apply -f jobs.yaml${ns === '-' ? '' : ` -n ${ns}`}`} />
              </NothingYet>
            ) : query.hasNextPage ? undefined : (
              <NothingMatches onClear={() => search({ q: undefined })} />
            )
          }
        />
      ) : error ? (
        wrongQuery ? (
          <NothingMatches onClear={() => search({ q: undefined })}>{wrongQuery}</NothingMatches>
        ) : (
          <Failure error={error} what={t.jobs.title} onRetry={() => void query.refetch()} />
        )
      ) : (
        <Skeleton lines={12} />
      )}
    </Page>
  );
}
