import { type ReactNode, useId } from 'react';
import type { State } from '@/states';
import css from './Bars.module.css';
import { HEIGHT, Plot, WIDTH, niceMax } from './Plot';

export interface BarPart {
  state: State;
  word: string;
}

export interface Bar {
  /** Of the bar, for the table and on hover. */
  label: string;
  values: readonly number[];
}

export interface StackedBarsProps {
  title: string;
  parts: readonly BarPart[];
  bars: readonly Bar[];
  from: ReactNode;
  to: ReactNode;
  aside?: ReactNode;
  /** Shows what a bar counts. */
  onOpen?: ((index: number) => void) | undefined;
}

/** Stacked bars over time. */
export function StackedBars({ title, parts, bars, from, to, aside, onOpen }: StackedBarsProps) {
  const id = useId();
  const max = niceMax(Math.max(0, ...bars.map((bar) => bar.values.reduce((sum, value) => sum + value, 0))));
  const step = WIDTH / Math.max(1, bars.length);
  const patternOf = (part: BarPart) => (part.state === 'failed' ? `url(#${id}-failed)` : undefined);
  const series = parts.map(({ state, word }) => ({ id: state, word, mark: <i data-state-word={state} className={css.key} /> }));
  return (
    <Plot title={title} series={series} rows={bars} max={max} from={from} to={to} aside={aside} onOpen={onOpen}>
      <defs>
        <pattern id={`${id}-failed`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" className={css.failed} />
          <rect width="1.2" height="4" className={css.hatch} />
        </pattern>
      </defs>
      {bars.map((bar, index) => {
        let below = 0;
        const words = bar.values.map((value, part) => (value > 0 ? `${value} ${parts[part]?.word ?? ''}` : '')).filter(Boolean);
        return (
          <g key={bar.label} className={onOpen ? css.opens : css.bar} onClick={onOpen && (() => onOpen(index))}>
            <title>{`${bar.label}\n${words.join('\n') || '0'}`}</title>
            <rect x={index * step} y={0} width={step} height={HEIGHT} className={css.target} />
            {bar.values.map((value, part) => {
              if (value === 0) return null;
              const height = (value / max) * HEIGHT;
              below += height;
              const each = parts[part];
              return (
                <rect
                  key={each?.state}
                  data-state-word={each?.state}
                  className={css.part}
                  x={index * step + step * 0.12}
                  y={HEIGHT - below}
                  width={step * 0.76}
                  height={height}
                  fill={each && patternOf(each)}
                />
              );
            })}
          </g>
        );
      })}
    </Plot>
  );
}
