import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pause, Play, Plus, Trash2, Zap } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '@/components/Button';
import buttonCss from '@/components/Button.module.css';
import { CommandLine } from '@/components/Copy';
import { ColumnMenu, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches, NothingYet } from '@/components/Feedback';
import { Page } from '@/components/Page';
import { QueryInput } from '@/components/QueryInput';
import { useFormats, useT } from '@/i18n';
import css from './Jobs.module.css';
import { jobColumns } from './columns';
import { type Job, jobsQuery, recentRunsQuery, triggersQuery } from './queries';
import { fields, readQuery, stateValues, toggleTerm, writeTerm } from './query';
import { jobsRoute } from './routes';
import { type BulkAction, useBulk } from './useBulk';

export function JobsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = jobsRoute.useParams();
  const { q = '', cols } = jobsRoute.useSearch();
  const navigate = useNavigate();
  const { filter, unknown } = useMemo(() => readQuery(q), [q]);
  const query = useInfiniteQuery(jobsQuery(ns, filter));
  const triggers = useQuery(triggersQuery(ns)).data;
  const runs = useQuery(recentRunsQuery(ns)).data;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const bulk = useBulk(ns);

  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const columns = useMemo(() => jobColumns(t, formats, ns, { triggers, runs }), [t, formats, ns, triggers, runs]);
  const labels = useMemo(() => labelTerms(rows), [rows]);

  const search = (change: { q?: string | undefined; cols?: string[] | undefined }) =>
    void navigate({ to: '.', search: { q: q || undefined, cols, ...change } as never, replace: true });
  const act = async (action: BulkAction) => {
    const result = await bulk.act(action, [...selected]);
    if (result) setSelected(new Set(result.failed.map(({ name }) => name)));
  };
  const chips = [
    ['', t.jobs.chipAll],
    ['enabled', t.jobs.chipEnabled],
    ['paused', t.jobs.chipPaused],
  ] as const;
  const state = filter.paused === undefined ? '' : filter.paused ? 'paused' : 'enabled';

  return (
    <Page
      title={t.jobs.title}
      fill
      actions={
        <Link to="/ns/$ns/jobs/new" params={{ ns }} className={`${buttonCss.button} ${buttonCss.primary}`}>
          <Plus size={14} aria-hidden="true" />
          {t.jobs.newJob}
        </Link>
      }
    >
      <div className={css.tools}>
        <QueryInput
          label={t.jobs.search}
          placeholder={t.jobs.searchHint}
          value={q}
          onChange={(next) => search({ q: next || undefined })}
          suggest={(prefix) => suggestions(prefix, labels)}
          problem={unknown.length > 0 ? t.jobs.unknownTerm(unknown.map((term) => q.slice(term.start, term.end)).join(', ')) : undefined}
        />
        <div className={css.chips} role="group" aria-label={t.jobs.search}>
          {chips.map(([value, label]) => (
            <button
              key={value}
              type="button"
              className={css.chip}
              aria-pressed={state === value}
              onClick={() => search({ q: (value === '' ? (state === '' ? q : toggleTerm(q, 'state', state)) : state === value ? q : toggleTerm(q, 'state', value)) || undefined })}
            >
              {label}
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
          <Button size="s" tone="quiet" onClick={() => setSelected(new Set())}>
            {t.common.clearSelection}
          </Button>
        </div>
      )}
      <Loaded query={query} what={t.jobs.title}>
        {() => (
          <DataTable<Job>
            label={t.jobs.list}
            columns={columns}
            chosen={cols}
            rows={rows}
            rowKey={(job) => job.name}
            onOpen={(job) => void navigate({ to: '/ns/$ns/jobs/$job', params: { ns, job: job.name } })}
            selected={selected}
            onSelect={setSelected}
            rowTone={(job) => (job.paused ? 'muted' : undefined)}
            waiting={query.isPlaceholderData}
            more={{ has: query.hasNextPage, busy: query.isFetchingNextPage, load: () => void query.fetchNextPage() }}
            empty={
              q === '' ? (
                <NothingYet
                  what={t.jobs.title}
                  actions={
                    <Link to="/ns/$ns/jobs/new" params={{ ns }} className={`${buttonCss.button} ${buttonCss.primary}`}>
                      <Plus size={14} aria-hidden="true" />
                      {t.jobs.newJob}
                    </Link>
                  }
                >
                  <p>{t.jobs.emptyText}</p>
                  <CommandLine text={`mainspring apply -f jobs.yaml -n ${ns}`} />
                </NothingYet>
              ) : (
                <NothingMatches onClear={() => search({ q: undefined })} />
              )
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

/** Terms for the labels that the shown jobs have. */
function labelTerms(rows: readonly Job[]): string[] {
  const terms = rows.flatMap((job) => Object.entries(job.spec.labels ?? {}).map(([key, value]) => writeTerm('label', `${key}=${value}`)));
  return [...new Set(terms)].sort();
}

function suggestions(prefix: string, labels: readonly string[]): string[] {
  const all = [...stateValues.map((value) => `state:${value}`), ...labels, ...fields.map((field) => `${field}:`)];
  return prefix === '' ? [] : all.filter((term) => term.startsWith(prefix) && term !== prefix).slice(0, 8);
}
