import { useT } from '@/i18n';
import { type State, glyphs } from '@/states';
import css from './StateBadge.module.css';

/** The glyph of a state, in its colour. Says nothing to a screen reader: put the word beside it. */
export function StateGlyph({ state, size = 12 }: { state: State; size?: number }) {
  const { fill, stroke } = glyphs[state];
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
      className={css.glyph}
      data-state-word={state}
    >
      {fill && <path d={fill} fill="currentColor" fillRule="evenodd" />}
      {stroke && <path d={stroke} fill="none" stroke="currentColor" strokeWidth="1.400" strokeLinecap="round" strokeLinejoin="round" />}
    </svg>
  );
}

/** A state: glyph, word and colour. */
export function StateBadge({ state, word, hideWord = false, strong = false }: { state: State; word?: string; hideWord?: boolean; strong?: boolean }) {
  const t = useT();
  const text = word ?? t.states.words[state];
  return (
    <span className={strong ? css.strong : css.badge} data-state-word={state} title={hideWord ? text : undefined}>
      <StateGlyph state={state} size={strong ? 13 : 12} />
      <span className={hideWord ? 'visually-hidden' : css.word}>{text}</span>
    </span>
  );
}
