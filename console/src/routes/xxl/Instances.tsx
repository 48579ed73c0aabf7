import type { UseQueryResult } from '@tanstack/react-query';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import css from './Xxl.module.css';
import type { XxlApp, XxlInstance } from './queries';

/** Clocks that differ by more than this, in milliseconds, confuse people who read logs. */
const OFFSET_MAX_MS = 1000;

/** The executors of an app, or of all: what they speak, when they were heard, what they cannot do. */
export function Instances({ title, query, of, app }: { title: string; query: UseQueryResult<XxlInstance[]>; of: string | undefined; app: XxlApp | undefined }) {
  const t = useT();
  const formats = useFormats();
  const columns: (Column<XxlInstance> | false)[] = [
    {
      id: 'address',
      header: t.xxl.address,
      width: '15rem',
      cell: ({ address, manual, app: its }) => (
        <span className={css.app}>
          <code>{address}</code>
          <span className={css.quiet}>{[of === undefined && its, manual && t.xxl.manual].filter(Boolean).join(' · ')}</span>
        </span>
      ),
    },
    {
      id: 'state',
      header: t.xxl.state,
      width: '6.5rem',
      cell: ({ alive, left }) => <StateBadge state={alive ? 'succeeded' : left ? 'cancelled' : 'lost'} word={alive ? t.xxl.alive : left ? t.xxl.left : t.xxl.silent} />,
    },
    { id: 'dialect', header: t.xxl.dialect, width: '7rem', wide: true, cell: ({ dialect }) => dialect ?? <span className={css.quiet}>{t.xxl.unknown}</span> },
    { id: 'beat', header: t.xxl.beat, width: '11rem', wide: true, cell: ({ beat_at }) => <Instant at={beat_at} relative offset={false} /> },
    { id: 'heard', header: t.xxl.heard, width: '11rem', wide: true, cell: ({ heard_at }) => <Instant at={heard_at} relative offset={false} /> },
    {
      id: 'clock',
      header: t.xxl.clock,
      width: '6rem',
      align: 'end',
      wide: true,
      cell: ({ clock_offset_ms }) =>
        typeof clock_offset_ms === 'number' ? <span className={Math.abs(clock_offset_ms) > OFFSET_MAX_MS ? css.bad : undefined}>{`${clock_offset_ms < 0 ? '−' : '+'}${formats.duration(Math.abs(clock_offset_ms))}`}</span> : <span className={css.quiet}>{t.common.none}</span>,
    },
    { id: 'running', header: t.xxl.running, width: '4rem', align: 'end', cell: ({ running }) => (typeof running === 'number' ? formats.number(running) : t.common.none) },
    {
      id: 'breaker',
      header: t.xxl.breaker,
      width: '9rem',
      wide: true,
      cell: ({ breaker, breaker_until }) =>
        breaker && breaker !== 'closed' ? (
          <span className={css.bad}>
            {t.xxl.breakers[breaker as keyof typeof t.xxl.breakers] ?? breaker} {breaker_until && <Instant at={breaker_until} precision="second" offset={false} />}
          </span>
        ) : (
          <span className={css.quiet}>{t.xxl.breakers.closed}</span>
        ),
    },
    { id: 'lacks', header: t.xxl.lacks, width: '8rem', wide: true, cell: ({ lacks = [] }) => (lacks.length > 0 ? formats.list(lacks) : <span className={css.quiet}>{t.xxl.nothing}</span>) },
  ];
  return (
    <Panel title={title} flush aside={app?.addresses && app.addresses.length > 0 ? t.xxl.byHand(formats.number(app.addresses.length)) : undefined}>
      <Loaded query={query} what={t.xxl.executors}>
        {(all) => (
          <DataTable
            label={title}
            columns={columns.filter((column) => column !== false)}
            rows={all.filter((each) => of === undefined || each.app === of)}
            rowKey={({ app: its, address }) => `${its} ${address}`}
            rowName={({ address }) => address}
            rowTone={({ alive }) => (alive ? undefined : 'muted')}
            empty={
              <div className={css.none}>
                <p>{t.xxl.noExecutors}</p>
                <dl>
                  <dt>
                    <code>xxl.job.admin.addresses</code>
                  </dt>
                  <dd>
                    <code>{new URL('xxl-job-admin', document.baseURI).href}</code>
                  </dd>
                  <dt>
                    <code>xxl.job.accessToken</code>
                  </dt>
                  <dd>{t.xxl.itsToken}</dd>
                </dl>
              </div>
            }
          />
        )}
      </Loaded>
    </Panel>
  );
}
