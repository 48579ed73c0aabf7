import { type ReactNode, useState } from 'react';
import { Button } from '@/components/Button';
import { Lines } from '@/components/Lines';
import { type LatenessPart, Spread } from '@/components/Spread';
import { useFormats, useT } from '@/i18n';
import type { Dashboard } from './queries';

/** How late handlers were entered: over time, or how many were how late. */
export function Lateness({ spread, ...overTime }: { bars: Dashboard['series']; labels: readonly string[]; from: string; spread: readonly LatenessPart[] }) {
  const t = useT();
  const [asSpread, setAsSpread] = useState(false);
  const change = (
    <Button size="s" tone="quiet" onClick={() => setAsSpread(!asSpread)}>
      {asSpread ? t.dashboard.overTime : t.dashboard.asSpread}
    </Button>
  );
  return asSpread ? <Spread parts={spread} aside={change} /> : <OverTime {...overTime} aside={change} />;
}

function OverTime({ bars, labels, from, aside }: { bars: Dashboard['series']; labels: readonly string[]; from: string; aside: ReactNode }) {
  const t = useT();
  const formats = useFormats();
  return (
    <Lines
      title={t.dashboard.lateness}
      lines={[
        { id: 'max', word: t.dashboard.max, look: 'dotted', values: bars.map((bar) => bar.late_max_ms) },
        { id: 'p99', word: t.dashboard.p99, look: 'second', values: bars.map((bar) => bar.late_p99_ms) },
        { id: 'p50', word: t.dashboard.p50, look: 'first', values: bars.map((bar) => bar.late_p50_ms) },
      ]}
      labels={labels}
      format={(value) => formats.duration(value)}
      from={from}
      to={t.dashboard.now}
      logarithmic
      low
      empty={t.dashboard.noneEntered}
      aside={aside}
    />
  );
}
