import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw, ScrollText } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import { IconButton } from '@/components/Button';
import { Distance } from '@/components/Instant';
import { StateGlyph } from '@/components/StateBadge';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import type { State } from '@/states';
import css from './Dashboard.module.css';
import type { Attention } from './model';

const glyph: Record<Attention['kind'], State> = { failing: 'failed', late: 'misfired', stuck: 'running', no_worker: 'lost' };
const SHOWN = 8;

/** What somebody should look at, each with the way to its cause. */
export function AttentionList({ items, ns }: { items: readonly Attention[]; ns: string }) {
  const t = useT();
  const formats = useFormats();
  if (items.length === 0) {
    return (
      <p className={css.well}>
        <CircleCheck size={15} aria-hidden="true" /> {t.dashboard.allWell}
      </p>
    );
  }
  const words = (item: Attention) => {
    const n = formats.number(item.count);
    if (item.kind === 'failing') return item.count === 1 ? t.dashboard.failedOnce : t.dashboard.failing(n);
    return { late: t.dashboard.lateBy(n), stuck: t.dashboard.stuck(n), no_worker: t.dashboard.noWorker(n) }[item.kind];
  };
  const rerun = async (run: string) => {
    try {
      await ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path: { run }, header: { 'Idempotency-Key': idempotencyKey() } }, body: {} }));
      toast({ text: t.dashboard.rerunDone });
    } catch (error) {
      toastError(t.errors.action(t.dashboard.rerun), error);
    }
  };
  return (
    <ul className={css.attention}>
      {items.slice(0, SHOWN).map((item) => (
        <li key={`${item.kind}-${item.job ?? item.queue}-${item.run ?? ''}`}>
          <span data-state-word={glyph[item.kind]} className={css.glyph}>
            <StateGlyph state={glyph[item.kind]} size={13} />
          </span>
          <span className={css.what}>
            {item.job ? (
              <Link to="/ns/$ns/jobs/$job" params={{ ns, job: item.job }}>
                {item.job}
              </Link>
            ) : (
              <Link to="/ns/$ns/queues" params={{ ns }}>
                {item.queue}
              </Link>
            )}
            <span>
              {words(item)}
              {item.detail && <span className={css.quiet}> · {item.detail}</span>}
            </span>
          </span>
          {Number.isFinite(item.since) && (
            <span className={css.quiet}>
              <Distance ms={item.since} />
            </span>
          )}
          {item.run && (
            <span className={css.acts}>
              <Link to="/ns/$ns/runs/$run" params={{ ns, run: item.run }} className={css.act} aria-label={`${t.dashboard.openLog}: ${item.job}`}>
                <ScrollText size={14} aria-hidden="true" />
                {t.dashboard.openLog}
              </Link>
              {item.kind === 'failing' && <IconButton label={`${t.dashboard.rerun}: ${item.job}`} icon={RotateCw} size={13} onClick={() => void rerun(item.run ?? '')} />}
            </span>
          )}
        </li>
      ))}
      {items.length > SHOWN && <li className={css.quiet}>{t.dashboard.more(formats.number(items.length - SHOWN))}</li>}
    </ul>
  );
}
