import css from './Segments.module.css';

export interface SegmentsProps<T extends string> {
  /** What is chosen, for those who do not see it. */
  label: string;
  options: readonly (readonly [value: T, word: string])[];
  value: string | undefined;
  onChange: (value: T) => void;
  /** Takes less room on phones. */
  dense?: boolean;
}

/** One of a few words, side by side. */
export function Segments<T extends string>({ label, options, value, onChange, dense = false }: SegmentsProps<T>) {
  return (
    <div className={css.segments} role="group" aria-label={label} data-dense={dense || undefined}>
      {options.map(([each, word]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => each !== value && onChange(each)}>
          {word}
        </button>
      ))}
    </div>
  );
}
