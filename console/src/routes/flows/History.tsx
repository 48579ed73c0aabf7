import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useT } from '@/i18n';
import css from './Flows.module.css';
import { type Sample, lineOf, sampleOf, withSample } from './model';
import { flowQuery } from './queries';

/** Keeps what was seen of a flow while its page is open: five minutes at most. */
export function useSamples(namespace: string, flow: string): readonly Sample[] {
  const { data, dataUpdatedAt } = useQuery(flowQuery(namespace, flow));
  const kept = useRef<readonly Sample[]>([]);
  if (data && kept.current.at(-1)?.at !== dataUpdatedAt) kept.current = withSample(kept.current, sampleOf(data, dataUpdatedAt));
  return kept.current;
}

/** A figure over the time that the page is open, as a small line. */
export function Spark({ label, samples, of, index, format }: { label: string; samples: readonly Sample[]; of: string; index: number; format: (value: number) => string }) {
  const t = useT();
  const { points, max, last } = lineOf(samples, of, index);
  return (
    <div className={css.spark}>
      <span className={css.sparkLabel}>{label}</span>
      <svg viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={`${label}: ${t.flows.lastAndMost(format(last), format(max))}`}>
        <line x1="0" x2="100" y1="30.500" y2="30.500" className={css.axis} />
        <polyline points={points} className={css.trace} />
      </svg>
      <span className={css.sparkValue}>
        {format(last)} <small title={t.flows.most}>≤ {format(max)}</small>
      </span>
    </div>
  );
}
