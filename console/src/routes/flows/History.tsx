import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useT } from '@/i18n';
import css from './Flows.module.css';
import { type Sample, lineOf, minutesOf, withPresent } from './model';
import { type Flow, flowQuery, historyQuery } from './queries';

/** What a component or queue did in each minute of the last day. */
export function useMinutes(flow: Flow, of: string): readonly Sample[] {
  const { data, dataUpdatedAt } = useQuery(historyQuery(flow.namespace, flow.name, of));
  return useMemo(() => minutesOf(data ?? [], dataUpdatedAt), [data, dataUpdatedAt]);
}

/** The same of a queue, and what it holds now. */
export function useMinutesAndNow(flow: Flow, of: string): readonly Sample[] {
  const samples = useMinutes(flow, of);
  const { dataUpdatedAt } = useQuery(flowQuery(flow.namespace, flow.name));
  return withPresent(samples, flow, dataUpdatedAt);
}

/** A figure over the last day, as a small line. */
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
        {format(last)} <small>{t.flows.mostOf(format(max))}</small>
      </span>
    </div>
  );
}
