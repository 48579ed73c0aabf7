import { memo } from 'react';
import { useT } from '@/i18n';
import css from './LogViewer.module.css';
import { SHOWN, segmentsOf } from './segments';
import type { LogLine } from './types';

export interface LogLineProps {
  line: LogLine;
  /** Where the search matches. */
  ranges: readonly (readonly [number, number])[] | undefined;
  whole: boolean;
  onWhole: (line: number) => void;
}

/** The text of a line. Always text: nothing in it is read as HTML. */
export const LogText = memo(function LogText({ line, ranges, whole, onWhole }: LogLineProps) {
  const t = useT();
  const { segments, cut } = segmentsOf(line.text, ranges, whole ? Number.POSITIVE_INFINITY : SHOWN);
  return (
    <>
      {segments.map((segment, index) => {
        const classes = segment.classes.map((name) => css[name]).filter(Boolean);
        const style = segment.color || segment.background ? { color: segment.color, background: segment.background } : undefined;
        const plain = classes.length === 0 && !style ? segment.text : <span className={classes.join(' ')} style={style}>{segment.text}</span>;
        const linked = segment.href ? (
          <a href={segment.href} target="_blank" rel="noreferrer noopener">
            {plain}
          </a>
        ) : (
          plain
        );
        return segment.match === undefined ? <span key={index}>{linked}</span> : <mark key={index}>{linked}</mark>;
      })}
      {cut && (
        <button type="button" className={css.whole} onClick={() => onWhole(line.line)}>
          {t.run.log.showRest}
        </button>
      )}
      {line.truncated && <em className={css.cut}>{t.run.log.lineCut}</em>}
    </>
  );
});
