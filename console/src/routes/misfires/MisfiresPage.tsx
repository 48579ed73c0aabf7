import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Play, Rewind, TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { AllWell, Failure, NothingMatches, Skeleton } from '@/components/Feedback';
import { Select, TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { GroupMenu } from '@/components/GroupMenu';
import { Menu, MenuChoice, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import type { RowGroup } from '@/components/tableItems';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { forEach } from '@/lib/each';
import { toggled } from '@/lib/toggled';
import { MISFIRE_GROUPS, type MisfireGroupBy, groupsOf } from './groups';
import css from './Misfires.module.css';
import { Weeks } from './Weeks';
import { type Misfire, type Misfires, fetchMisfires } from './queries';
import { misfiresRoute, outcomes, ranges } from './routes';

const runJob = ({ namespace, job }: Misfire) => ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/run', { params: { path: { namespace, job }, header: { 'Idempotency-Key': idempotencyKey() } }, body: {} }));

export function MisfiresPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = misfiresRoute.useParams();
  const search = misfiresRoute.useSearch();
  const navigate = useNavigate();
  const range = search.range ?? '24h';
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  const list = useInfiniteQuery({
    queryKey: ['misfires', ns, range, search.cause, search.policy, search.outcome, search.job],
    queryFn: ({ pageParam, signal }) => fetchMisfires({ ns, range, cause: search.cause, policy: search.policy, outcome: search.outcome, job: search.job }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Misfires) => page.next_cursor,
    meta: { topics: ['stats'], every: 15_000 },
  });
  const start = useMutation({
    mutationFn: runJob,
    onSuccess: () => toast({ tone: 'good', text: t.misfires.started }),
    onError: (error) => toastError(t.misfires.runNow, error),
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const jobs = new Map(rows.filter((row) => selected.has(row.id)).map((row) => [`${row.namespace}/${row.job}`, row]));
  const startAll = async () => {
    const names = [...jobs.keys()];
    if (!(await confirm({ title: t.misfires.runMany(formats.number(names.length)), text: `${t.misfires.runManyText} ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`, action: t.misfires.runNow }))) return;
    const { done, failed } = await forEach(names, (name) => runJob(jobs.get(name)!));
    setSelected(new Set());
    const why = failed[0] && ` ${t.runs.someFailed(formats.number(failed.length))} ${t.said.both(failed[0].error)}`;
    toast({ tone: why ? 'bad' : 'good', text: `${t.misfires.startedMany(formats.number(done.length))}${why ?? ''}` });
  };
  const closed = search.closed ?? [];
  const grouped = (by: MisfireGroupBy): RowGroup<Misfire>[] =>
    groupsOf(rows, by, ns).map(({ value, instants, rows }) => ({
      key: value,
      name: by === 'cause' ? (t.misfires.causes[value] ?? value) : by === 'outcome' ? (t.misfires.outcomes[value] ?? value) : value,
      count: t.misfires.instants(formats.number(instants)),
      open: !closed.includes(value),
      onToggle: () => set({ closed: toggled(closed, value) }),
      rows,
    }));
  // What the address names may be a policy that this console does not know.
  const policies = [...new Set([...Object.keys(t.misfires.policies), ...(search.policy ? [search.policy] : [])])];
  const columns: Column<Misfire>[] = [
    {
      id: 'due',
      header: t.misfires.due,
      cell: (row) => (
        <span>
          <Instant at={row.first} date />
          {row.last !== row.first && (
            <>
              {' '}
              {t.misfires.until} <Instant at={row.last} date />
            </>
          )}
        </span>
      ),
    },
    {
      id: 'job',
      header: t.misfires.job,
      cell: (row) => (
        <Link to="/ns/$ns/jobs/$job" params={{ ns: row.namespace, job: row.job }} className={css.job}>
          {ns === '-' && <span className={css.quiet}>{row.namespace}/</span>}
          {row.job}
        </Link>
      ),
    },
    { id: 'trigger', header: t.misfires.trigger, wide: true, cell: (row) => row.trigger ?? t.common.none },
    { id: 'count', header: t.misfires.count, width: '6rem', align: 'end', wide: true, cell: (row) => formats.number(row.count) },
    { id: 'outcome', header: t.misfires.outcome, width: '8rem', wide: true, cell: (row) => <StateBadge state={row.outcome === 'missed' ? 'misfired' : 'skipped'} word={t.misfires.outcomes[row.outcome] ?? row.outcome} /> },
    { id: 'cause', header: t.misfires.cause, cell: (row) => <Cause row={row} /> },
    { id: 'policy', header: t.misfires.policy, width: '9rem', wide: true, cell: (row) => <code title={t.misfires.policies[row.policy]}>{row.policy}</code> },
    { id: 'recorded', header: t.misfires.recorded, width: '12rem', optional: true, cell: (row) => <Instant at={row.recorded_at} /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (row) => (
        <Menu trigger={<IconButton label={`${t.common.moreActions}: ${row.job}`} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={Play} onSelect={() => void confirm({ title: t.misfires.runNowTitle(row.job), text: t.misfires.runNowText, action: t.misfires.runNow }).then((yes) => yes && start.mutate(row))}>
            {t.misfires.runNow}
          </MenuItem>
          <MenuItem icon={Rewind} onSelect={() => void navigate({ to: '/ns/$ns/backfills/new', params: { ns: row.namespace }, search: { job: row.job, from: row.first, to: row.last } })}>
            {t.misfires.backfill}
          </MenuItem>
          <MenuLine />
          <CopyItems
            command={{
              cli: ['job', 'run', `${row.namespace}/${row.job}`],
              http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/run', { namespace: row.namespace, job: row.job }), body: {} },
            }}
          />
        </Menu>
      ),
    },
  ];
  return (
    <Page title={t.shell.misfires} fill>
      <div className={css.filters}>
        <Select aria-label={t.misfires.range} value={range} onChange={(event) => set({ range: event.target.value === '24h' ? undefined : (event.target.value as typeof range) })}>
          {ranges.map((each, index) => (
            <option key={each} value={each}>
              {[t.misfires.day, t.misfires.week, t.misfires.month][index]}
            </option>
          ))}
        </Select>
        <Select aria-label={t.misfires.cause} value={search.cause ?? ''} onChange={(event) => set({ cause: event.target.value || undefined })}>
          <option value="">{t.misfires.allCauses}</option>
          {Object.entries(t.misfires.causes).map(([cause, word]) => (
            <option key={cause} value={cause}>
              {word}
            </option>
          ))}
        </Select>
        <Select aria-label={t.misfires.policy} value={search.policy ?? ''} onChange={(event) => set({ policy: event.target.value || undefined })}>
          <option value="">{t.misfires.allPolicies}</option>
          {policies.map((policy) => (
            <option key={policy} value={policy}>
              {t.misfires.policies[policy] ? `${policy} · ${t.misfires.policies[policy]}` : policy}
            </option>
          ))}
        </Select>
        <Select aria-label={t.misfires.outcome} value={search.outcome ?? ''} onChange={(event) => set({ outcome: outcomes.find((one) => one === event.target.value) })}>
          <option value="">{t.misfires.allOutcomes}</option>
          {outcomes.map((outcome) => (
            <option key={outcome} value={outcome}>
              {t.misfires.outcomes[outcome]}
            </option>
          ))}
        </Select>
        {search.job ? (
          <Button icon={X} onClick={() => set({ job: undefined })}>
            {t.misfires.ofJob(search.job)}
          </Button>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const job = String(new FormData(event.currentTarget).get('job') ?? '').trim();
              if (job) set({ job });
            }}
          >
            <TextInput name="job" aria-label={t.misfires.onlyJob} placeholder={t.misfires.onlyJob} maxLength={128} autoComplete="off" />
          </form>
        )}
        <GroupMenu chosen={search.group && t.misfires[search.group]}>
          <MenuChoice<string>
            value={search.group ?? ''}
            onChange={(next) => set({ group: MISFIRE_GROUPS.find((known) => known === next), closed: undefined })}
            options={[['', t.jobs.noGroup], ...MISFIRE_GROUPS.map((by) => [by, t.misfires[by]] as const)]}
          />
        </GroupMenu>
      </div>
      <Weeks ns={ns} />
      {list.error && rows.length === 0 ? (
        <Failure error={list.error} what={t.misfires.what} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton lines={10} />
      ) : (
        <>
          <Headline summary={list.data?.pages[0]?.summary} onPolicy={(policy) => set({ policy })} />
          {jobs.size > 0 && (
            <div className={css.selection}>
              <Button size="s" icon={Play} onClick={() => void startAll()}>
                {t.misfires.runMany(formats.number(jobs.size))}
              </Button>
            </div>
          )}
          <DataTable
            label={t.shell.misfires}
            columns={columns}
            rows={rows}
            groups={search.group && rows.length > 0 ? grouped(search.group) : undefined}
            rowKey={(row) => row.id}
            rowName={(row) => `${row.job} ${row.first}`}
            selected={selected}
            onSelect={setSelected}
            more={{ has: list.hasNextPage, busy: list.isFetchingNextPage, load: () => void list.fetchNextPage() }}
            empty={
              list.hasNextPage ? undefined : search.cause || search.policy || search.outcome || search.job ? (
                <NothingMatches onClear={() => set({ cause: undefined, policy: undefined, outcome: undefined, job: undefined })} />
              ) : (
                <AllWell title={t.misfires.none}>{t.misfires.noneText}</AllWell>
              )
            }
          />
        </>
      )}
    </Page>
  );
}

/** Why nothing fired, and that a backfill has made up for it. */
function Cause({ row: { namespace, cause, backfill, backfilled = 0 } }: { row: Misfire }) {
  const t = useT();
  const formats = useFormats();
  return (
    <>
      {t.misfires.causes[cause] ?? cause}
      {backfill && backfilled > 0 && (
        <>
          {' · '}
          <Link to="/ns/$ns/backfills/$backfill" params={{ ns: namespace, backfill }}>
            {t.misfires.backfilled(formats.number(backfilled))}
          </Link>
        </>
      )}
    </>
  );
}

/** How many instants did not fire, which policies let them pass, and the outages that took them. */
function Headline({ summary, onPolicy }: { summary: Misfires['summary']; onPolicy: (policy: string) => void }) {
  const t = useT();
  const formats = useFormats();
  if (!summary || summary.missed + summary.suppressed === 0) return null;
  const policies = summary.policies ?? [];
  return (
    <div className={css.headline}>
      <p>
        {!summary.complete && `${t.misfires.atLeast} `}
        <strong>{t.misfires.missed(formats.number(summary.missed))}</strong> · {t.misfires.suppressed(formats.number(summary.suppressed))}
      </p>
      {policies.length > 1 && (
        <ul className={css.policies} aria-label={t.misfires.byPolicy}>
          {policies.map(({ policy, missed, suppressed }) => (
            <li key={policy}>
              <button type="button" title={t.misfires.policies[policy]} onClick={() => onPolicy(policy)}>
                <code>{policy}</code> {formats.number(missed + suppressed)}
              </button>
            </li>
          ))}
        </ul>
      )}
      <ul>
        {summary.outages.map((outage) => (
          <li key={outage.from}>
            <TriangleAlert size={14} aria-hidden="true" />
            {t.misfires.outage} <Instant at={outage.from} date focusable /> – <Instant at={outage.to} focusable />: {t.misfires.outageText(formats.number(outage.due), formats.number(outage.caught_up), formats.number(outage.skipped))}
          </li>
        ))}
      </ul>
    </div>
  );
}
