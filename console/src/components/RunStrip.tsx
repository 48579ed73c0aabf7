import { useT } from '@/i18n';
import { type State, isFinal, runState } from '@/states';
import { instant } from '@/lib/time';
import css from './RunStrip.module.css';

export interface StripRun {
  id: string;
  state: string;
  attempt?: number;
  started_at?: string | null;
  ended_at?: string | null;
}

const HEIGHT = 18;
const WIDTH = 5;
const STEP = 7;

/** Height of a bar: the longest run of the strip is full, and none is so low that it cannot be seen. */
export function barHeight(tookMs: number, longestMs: number): number {
  if (!Number.isFinite(tookMs) || longestMs <= 0) return 5;
  return Math.round(5 + (HEIGHT - 5) * Math.min(1, Math.max(0, tookMs / longestMs)));
}

/** The last runs, oldest first: height is duration, colour and notch the state. */
export function RunStrip({ runs, count = 14 }: { runs: readonly StripRun[]; count?: number }) {
  const t = useT();
  const shown = runs.slice(0, count).reverse();
  if (shown.length === 0) return null;
  const took = shown.map((run) => instant(run.ended_at) - instant(run.started_at));
  const longest = Math.max(...took.filter(Number.isFinite), 0);
  const states = shown.map((run) => runState(run));
  const tally = new Map<State, number>();
  for (const state of states) tally.set(state, (tally.get(state) ?? 0) + 1);
  const words = [...tally].map(([state, n]) => `${n} ${t.states.words[state]}`).join(', ');
  return (
    <svg className={css.strip} width={count * STEP} height={HEIGHT} role="img" aria-label={words}>
      <title>{words}</title>
      {shown.map((run, index) => {
        const state = states[index] ?? 'waiting';
        const height = isFinal(state) ? barHeight(took[index] ?? Number.NaN, longest) : HEIGHT;
        const x = (count - shown.length + index) * STEP;
        const bad = state === 'failed' || state === 'timed_out' || state === 'lost';
        return (
          <g key={run.id} data-state-word={state}>
            <rect x={x} y={HEIGHT - height} width={WIDTH} height={height} rx="1" className={isFinal(state) ? css.bar : css.open} />
            {bad && <path d={`M${x} ${HEIGHT - height}l${WIDTH} ${WIDTH}m0-${WIDTH}l-${WIDTH} ${WIDTH}`} className={css.cross} />}
          </g>
        );
      })}
    </svg>
  );
}
