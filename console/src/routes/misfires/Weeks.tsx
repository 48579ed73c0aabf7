import { useQuery } from '@tanstack/react-query';
import { StackedBars } from '@/components/Bars';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { dashboardQuery } from '../dashboard/queries';
import { daysOfWeek, weeksOf } from './weeks';
import css from './Misfires.module.css';

/** What was missed week by week, from rollups: history is not counted for it. */
export function Weeks({ ns }: { ns: string }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery({ ...dashboardQuery(ns, '90d'), meta: { topics: ['stats'], every: 60_000 } });
  const format = new Intl.DateTimeFormat(formats.language === 'zh' ? 'zh-CN' : 'en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return (
    <Panel title={t.misfires.weeks} aside={t.misfires.weeksOf}>
      <Loaded query={query} what={t.misfires.weeks} skeleton={<Skeleton lines={3} />}>
        {({ series, counters_partial }) => {
          const weeks = weeksOf(series);
          const bars = weeks.map((week) => ({ label: format.formatRange(...daysOfWeek(week)), values: [week.missed] }));
          if (weeks.every(({ missed }) => missed === 0)) return <p className={css.quiet}>{t.misfires.weeksNone}</p>;
          return (
            <>
              <StackedBars title={t.misfires.weeks} parts={[{ state: 'misfired', word: t.states.words.misfired }]} bars={bars} from={bars[0]?.label} to={bars.at(-1)?.label} />
              {counters_partial && <p className={css.quiet}>{t.dashboard.partial}</p>}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
