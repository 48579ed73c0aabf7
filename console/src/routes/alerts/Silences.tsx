import { useQuery } from '@tanstack/react-query';
import { BellOff } from 'lucide-react';
import { CopyMore } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Who } from '@/components/Who';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import css from './Alerts.module.css';
import { type Silence, silencesQuery } from './queries';
import { useAlertActions } from './useAlertActions';

/** What is not told for a while, why and until when. */
export function Silences() {
  const t = useT();
  const query = useQuery(silencesQuery);
  const act = useAlertActions();
  const scope = ({ namespace, job, label }: Silence) => [job ? `${namespace ?? ''}/${job}` : namespace, label].filter(Boolean).join(' ') || t.alerts.allJobs;
  const end = (silence: Silence) => (
    <span className={css.act}>
      <Button size="s" aria-label={t.alerts.endSilenceOf(scope(silence))} onClick={() => act.endSilence(silence.id)}>
        {t.alerts.endSilence}
      </Button>
      <CopyMore of={scope(silence)} command={{ cli: ['alert', 'silence', 'end', silence.id], http: { method: 'DELETE', path: fillPath('/api/v1/alert-silences/{silence}', { silence: silence.id }) } }} />
    </span>
  );
  const columns: Column<Silence>[] = [
    {
      id: 'scope',
      header: t.alerts.scope,
      cell: (silence) => (
        <div className={css.what}>
          <strong>{scope(silence)}</strong>
          <span className={css.below}>
            {silence.reason} {end(silence)}
          </span>
        </div>
      ),
    },
    { id: 'until', header: t.alerts.until, width: '10rem', cell: ({ until }) => <Instant at={until} /> },
    { id: 'reason', header: t.common.reason, wide: true, cell: ({ reason }) => <span title={reason}>{reason}</span> },
    { id: 'by', header: t.alerts.by, width: '12rem', wide: true, cell: ({ by }) => (by ? <Who by={by} /> : null) },
    { id: 'end', header: '', width: '8rem', wide: true, cell: end },
  ];
  return (
    <Loaded query={query} what={t.alerts.tabs.silences}>
      {(silences) => (
        <DataTable
          label={t.alerts.tabs.silences}
          columns={columns}
          rows={silences}
          rowKey={({ id }) => id}
          rowName={scope}
          empty={
            <NothingYet what={t.alerts.silencesWhat} icon={BellOff}>
              {t.alerts.silencesEmpty}
            </NothingYet>
          }
        />
      )}
    </Loaded>
  );
}
