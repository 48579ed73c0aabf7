import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import { Instant } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import css from './Editor.module.css';
import { previewQuery } from './queries';

const WAIT_MS = 200;
const FEW = 8;
const MANY = 50;

/** Returns a value once it has stayed the same for a while. */
export function useSettled<T>(value: T, waitMs: number): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
    // By content: the object is a new one with each stroke.
  }, [key, waitMs]);
  return settled;
}

/** When a trigger fires, as the server's own engine computes it. */
export function SchedulePreview({ namespace, trigger, title }: { namespace: string; trigger: Record<string, unknown>; title?: string | undefined }) {
  const t = useT();
  const formats = useFormats();
  const [count, setCount] = useState(FEW);
  const settled = useSettled(trigger, WAIT_MS);
  const query = useQuery(previewQuery(namespace, settled, count));
  const { data, error } = query;
  if (error) {
    const problem = asApiError(error);
    const all = problem.errors.length > 0 ? problem.errors : [{ code: problem.code, message: problem.message, hint: problem.hint ?? null }];
    return (
      <div className={css.preview} role="status">
        {title && <h3>{title}</h3>}
        {all.map((each) => (
          <p key={each.message} className={css.bad}>
            <TriangleAlert size={13} aria-hidden="true" /> {t.said.say(each.code, each.message)}
            {each.hint && <span className={css.quiet}> {t.said.hint(each.hint)}</span>}
          </p>
        ))}
      </div>
    );
  }
  if (!data) return <div className={css.preview} aria-busy="true" />;
  return (
    <div className={css.preview} data-busy={query.isFetching || undefined}>
      {title && <h3>{title}</h3>}
      <p className={css.words}>{data.explanation}</p>
      {data.fires.length === 0 && <p className={css.bad}>{t.editor.neverFires}</p>}
      <ol className={css.fires}>
        {data.fires.map((fire) => (
          <li key={fire.at} data-excluded={fire.excluded_by ? true : undefined}>
            <Instant at={fire.at} zone={data.timezone} date relative />
            {fire.excluded_by && <span className={css.tag}>{t.editor.excludedBy(fire.excluded_by)}</span>}
            {fire.note === 'gap' && <span className={css.tag}>{t.editor.gap}</span>}
            {fire.note === 'fold' && <span className={css.tag}>{t.editor.fold}</span>}
          </li>
        ))}
      </ol>
      {count === FEW && data.fires.length === FEW && (
        <Button size="s" tone="quiet" onClick={() => setCount(MANY)}>
          {t.editor.next(formats.number(MANY))}
        </Button>
      )}
      {data.warnings?.map((warning) => (
        <p key={warning.message} className={css.warn}>
          <TriangleAlert size={13} aria-hidden="true" /> {t.said.say(warning.code, warning.message)}
        </p>
      ))}
    </div>
  );
}
