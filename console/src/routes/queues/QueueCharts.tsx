import { useQuery } from '@tanstack/react-query';
import { Loaded, Skeleton } from '@/components/Feedback';
import { useZone } from '@/components/Instant';
import { Lines } from '@/components/Lines';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { formatInstant, instant } from '@/lib/time';
import { type QueueRange, historyQuery } from './queries';
import css from './Queues.module.css';

/** What waited in a queue over time, what came and left, and how long that had waited. */
export function QueueCharts({ queue, range }: { queue: string; range: QueueRange }) {
  const t = useT();
  const formats = useFormats();
  const zone = useZone();
  const query = useQuery(historyQuery(queue, range));
  return (
    <Loaded query={query} what={t.queues.overTime} skeleton={<Skeleton lines={6} />}>
      {({ points, from }) => {
        const now = serverNow();
        const at = (text: string) => formatInstant(instant(text), { zone, language: formats.language, now, precision: 'minute', offset: false });
        const common = { labels: points.map((point) => at(point.at)), from: at(from), to: t.dashboard.now, empty: t.queues.nothingLeft };
        const isLeast = points.some((point) => point.depth_is_least);
        return (
          <div className={css.charts}>
            <section>
              <h3>{t.queues.waiting}</h3>
              <Lines
                {...common}
                title={t.queues.waiting}
                format={(value) => formats.number(value)}
                lines={[
                  { id: 'most', word: t.queues.atMost, look: 'first', area: true, values: points.map((point) => point.depth_max) },
                  { id: 'end', word: t.queues.atEnd, look: 'dotted', values: points.map((point) => point.depth) },
                ]}
              />
              {isLeast && <p className={css.quiet}>{t.queues.countedTo(formats.number(100_000))}</p>}
            </section>
            <section>
              <h3>{t.queues.inAndOut}</h3>
              <Lines
                {...common}
                title={t.queues.inAndOut}
                format={(value) => formats.number(value)}
                lines={[
                  { id: 'in', word: t.queues.arrived, look: 'second', values: points.map((point) => point.arrived) },
                  { id: 'out', word: t.queues.left, look: 'first', values: points.map((point) => point.left) },
                ]}
              />
            </section>
            <section>
              <h3>{t.queues.wait}</h3>
              <Lines
                {...common}
                title={t.queues.wait}
                logarithmic
                format={(value) => formats.duration(value)}
                lines={[
                  { id: 'max', word: t.dashboard.max, look: 'dotted', values: points.map((point) => point.wait_max_ms) },
                  { id: 'p95', word: 'p95', look: 'second', values: points.map((point) => point.wait_p95_ms) },
                  { id: 'p50', word: t.dashboard.p50, look: 'first', values: points.map((point) => point.wait_p50_ms) },
                ]}
              />
            </section>
          </div>
        );
      }}
    </Loaded>
  );
}
