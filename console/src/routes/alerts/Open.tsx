import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellOff } from 'lucide-react';
import { Button } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { AllWell, Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { StateGlyph } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import css from './Alerts.module.css';
import type { SilenceOf } from './SilenceDialog';
import { useConditionWords } from './parts';
import { type OpenAlert, openAlertsQuery } from './queries';

/** What is wrong now, who was told, and what holds back the rest. */
export function Open({ ns, onSilence }: { ns: string; onSilence: (of: SilenceOf) => void }) {
  const t = useT();
  const formats = useFormats();
  const say = useConditionWords();
  const query = useQuery(openAlertsQuery(ns));
  const silence = (alert: OpenAlert) =>
    alert.silence ? (
      <span className={css.quiet} title={alert.silence.reason}>
        {t.alerts.silencedUntil} <Instant at={alert.silence.until} />
      </span>
    ) : (
      <Button size="s" icon={BellOff} aria-label={t.alerts.silenceOf(alert.job)} onClick={() => onSilence({ namespace: alert.namespace, job: alert.job })}>
        {t.alerts.silence}
      </Button>
    );
  const columns: Column<OpenAlert>[] = [
    {
      id: 'job',
      header: t.alerts.job,
      cell: (alert) => (
        <div className={css.what}>
          <span className={css.state}>
            <StateGlyph state={alert.silence ? 'skipped' : 'failed'} />
            <Link to="/ns/$ns/jobs/$job" params={{ ns: alert.namespace, job: alert.job }}>
              {ns === '-' && `${alert.namespace}/`}
              {alert.job}
            </Link>
          </span>
          <span>{say(alert.condition)}</span>
          <div className={css.below}>{silence(alert)}</div>
        </div>
      ),
    },
    { id: 'since', header: t.alerts.since, width: '14rem', wide: true, cell: ({ since }) => <Instant at={since} relative /> },
    { id: 'times', header: t.alerts.times, width: '5rem', align: 'end', cell: ({ count }) => formats.number(count) },
    {
      id: 'run',
      header: t.alerts.run,
      width: '7rem',
      wide: true,
      cell: ({ run, namespace }) =>
        run ? (
          <Link to="/ns/$ns/runs/$run" params={{ ns: namespace, run }}>
            <code>{run.slice(0, 8)}</code>
          </Link>
        ) : (
          t.common.none
        ),
    },
    {
      id: 'told',
      header: t.alerts.told,
      wide: true,
      cell: ({ told_at, channels = [] }) =>
        told_at ? (
          <>
            {formats.list(channels)} <span className={css.quiet}><Instant at={told_at} /></span>
          </>
        ) : (
          <span className={css.quiet}>{t.alerts.nobody}</span>
        ),
    },
    { id: 'silence', header: '', width: '15rem', wide: true, cell: silence },
  ];
  return (
    <Loaded query={query} what={t.alerts.what}>
      {(alerts) => (
        <DataTable
          label={t.alerts.tabs.open}
          columns={columns}
          rows={alerts}
          rowKey={(alert) => `${alert.namespace}/${alert.job} ${alert.condition}`}
          rowName={(alert) => `${alert.job} ${alert.condition}`}
          rowTone={(alert) => (alert.silence ? 'muted' : 'bad')}
          empty={
            <AllWell title={t.alerts.openNone}>
              {t.alerts.openEmpty}
            </AllWell>
          }
        />
      )}
    </Loaded>
  );
}
