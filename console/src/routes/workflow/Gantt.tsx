import { StateGlyph } from '@/components/StateBadge';
import { Took } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { useNow } from '@/lib/clock';
import { instant } from '@/lib/time';
import css from './Gantt.module.css';
import { type TaskStatus, spansOf } from './status';

export interface GanttProps {
  statuses: ReadonlyMap<string, TaskStatus>;
  begin: string | null | undefined;
  end: string | null | undefined;
  chosen: string | undefined;
  onChoose: (name: string | undefined) => void;
}

/** When each task ran, within the time of the run. The name is what one points at: bars may be thin. */
export function Gantt({ statuses, begin, end, chosen, onChoose }: GanttProps) {
  const t = useT();
  const formats = useFormats();
  const now = useNow();
  const from = instant(begin);
  const to = end ? instant(end) : now;
  const spans = spansOf(statuses, from, to);
  if (spans.length === 0) return <p className={css.none}>{t.workflow.noneStarted}</p>;
  return (
    <div className={css.gantt}>
      <div className={css.axis} aria-hidden="true">
        <span />
        <span>0</span>
        <span>{formats.duration(Math.max(0, to - from))}</span>
      </div>
      <ol>
        {spans.map(({ name, status, from: start, to: stop }) => (
          <li key={name}>
            <button type="button" aria-pressed={name === chosen} onClick={() => onChoose(name === chosen ? undefined : name)}>
              <StateGlyph state={status.state} />
              <span className={css.name}>{name}</span>
              <span className={css.track} aria-hidden="true">
                <span className={css.bar} data-state-word={status.state} style={{ insetInlineStart: `min(${(start * 100).toFixed(2)}%, calc(100% - 5px))`, width: `${((stop - start) * 100).toFixed(2)}%` }} />
              </span>
              <span className={css.took}>
                <Took from={status.task.started_at ?? status.task.since} to={status.task.ended_at} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
