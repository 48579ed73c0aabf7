import { Panel } from '@/components/Page';
import { Spread } from '@/components/Spread';
import { useFormats, useT } from '@/i18n';
import css from './Cluster.module.css';
import type { NodeLateness } from './queries';

/** How late handlers were entered lately, on one node or on all. */
export function LatenessOf({ minutes, lateness }: { minutes: number; lateness: NodeLateness['lateness'] }) {
  const t = useT();
  const formats = useFormats();
  const ms = (value: number | null | undefined) => (typeof value === 'number' ? formats.duration(value) : t.common.none);
  const spread = lateness.spread ?? [];
  return (
    <Panel title={t.cluster.latenessOf(formats.number(minutes))} aside={t.cluster.entered(formats.number(lateness.entered))}>
      <dl className={css.figures}>
        <div>
          <dt>p50</dt>
          <dd>{ms(lateness.p50_ms)}</dd>
        </div>
        <div>
          <dt>p99</dt>
          <dd>{ms(lateness.p99_ms)}</dd>
        </div>
        <div>
          <dt>{t.dashboard.max}</dt>
          <dd>{ms(lateness.max_ms)}</dd>
        </div>
      </dl>
      {spread.length > 0 && <Spread parts={spread} />}
      <p className={css.text}>{t.cluster.latenessText}</p>
    </Panel>
  );
}
