import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Button } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches, NothingYet } from '@/components/Feedback';
import { Select } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Page } from '@/components/Page';
import { useT } from '@/i18n';
import css from './Backfills.module.css';
import { BackfillBadge, BackfillProgress } from './parts';
import { type Backfill, backfillListQuery } from './queries';
import { backfillsRoute } from './routes';

const states = ['active', 'paused', 'completed', 'cancelled'] as const;

/** The backfills of a namespace, the newest first. */
export function BackfillsPage() {
  const t = useT();
  const { ns } = backfillsRoute.useParams();
  const { state } = backfillsRoute.useSearch();
  const navigate = useNavigate();
  const query = useQuery(backfillListQuery(ns, state));
  const set = (next: string | undefined) => void navigate({ to: '.', search: { state: next } as never, replace: true });
  const create = (
    <Button tone="primary" icon={Plus} onClick={() => void navigate({ to: '/ns/$ns/backfills/new', params: { ns: ns === '-' ? 'default' : ns } })}>
      {t.backfills.create}
    </Button>
  );
  const columns: Column<Backfill>[] = [
    {
      id: 'job',
      header: t.backfills.job,
      cell: (backfill) => (
        <Link to="/ns/$ns/backfills/$backfill" params={{ ns: backfill.namespace, backfill: backfill.id }} className={css.name}>
          {ns === '-' && `${backfill.namespace}/`}
          {backfill.job} <span className={css.quiet}>#{backfill.id}</span>
        </Link>
      ),
    },
    { id: 'state', header: t.backfills.state, width: '10rem', cell: (backfill) => <BackfillBadge backfill={backfill} /> },
    { id: 'progress', header: t.backfills.progress, width: '16rem', wide: true, cell: (backfill) => <BackfillProgress backfill={backfill} /> },
    {
      id: 'range',
      header: t.backfills.range,
      width: '20rem',
      wide: true,
      cell: ({ from, to, timezone }) => (
        <span>
          <Instant at={from} zone={timezone} offset={false} precision="minute" date /> – <Instant at={to} zone={timezone} offset={false} precision="minute" date />
        </span>
      ),
    },
    { id: 'created', header: t.backfills.created, width: '14rem', wide: true, cell: ({ created_at }) => <Instant at={created_at} relative /> },
    { id: 'by', header: t.backfills.by, width: '9rem', wide: true, cell: ({ created_by }) => created_by ?? t.common.none },
  ];
  return (
    <Page title={t.shell.backfills} actions={create}>
      <Loaded query={query} what={t.backfills.what}>
        {(backfills) =>
          backfills.length === 0 && state === undefined ? (
            <NothingYet what={t.backfills.what} actions={create}>
              {t.backfills.emptyText}
              <CommandLine text="mainspring backfill plan JOB --from 2026-07-01 --to 2026-07-31" />
            </NothingYet>
          ) : (
            <>
              <Select className={css.filter} aria-label={t.backfills.state} value={state ?? ''} onChange={(event) => set(event.target.value || undefined)}>
                <option value="">{t.common.all}</option>
                {states.map((each) => (
                  <option key={each} value={each}>
                    {t.backfills.states[each]}
                  </option>
                ))}
              </Select>
              <DataTable
                label={t.shell.backfills}
                columns={columns}
                rows={backfills}
                rowKey={({ id }) => id}
                rowName={({ job }) => job}
                onOpen={(backfill) => void navigate({ to: '/ns/$ns/backfills/$backfill', params: { ns: backfill.namespace, backfill: backfill.id } })}
                empty={<NothingMatches onClear={() => set(undefined)} />}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
