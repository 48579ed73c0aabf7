import { Link } from '@tanstack/react-router';
import { CircleCheck, Ellipsis, RotateCw, ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import type { Dashboard } from './queries';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { Distance } from '@/components/Instant';
import { Menu } from '@/components/Menu';
import { StateGlyph } from '@/components/StateBadge';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { instant } from '@/lib/time';
import type { State } from '@/states';
import css from './Dashboard.module.css';

type Item = Dashboard['attention'][number];

const glyphs: Partial<Record<string, State>> = { failing: 'failed', late: 'misfired', stuck: 'running', misfires: 'misfired', webhooks: 'lost' };
const SHOWN = 10;

/** What somebody should look at, each with the way to its cause. */
export function AttentionList({ items, ns }: { items: readonly Item[]; ns: string }) {
  const t = useT();
  const formats = useFormats();
  if (items.length === 0) {
    return (
      <p className={css.well}>
        <CircleCheck size={15} aria-hidden="true" /> {t.dashboard.allWell}
      </p>
    );
  }
  return (
    <ul className={css.attention}>
      {items.slice(0, SHOWN).map((item, index) => (
        <Row key={`${item.kind}-${item.job ?? item.queue ?? index}-${item.last_run ?? ''}`} item={item} ns={ns} />
      ))}
      {items.length > SHOWN && <li className={css.quiet}>{t.dashboard.more(formats.number(items.length - SHOWN))}</li>}
    </ul>
  );
}

function Row({ item, ns }: { item: Item; ns: string }) {
  const t = useT();
  const formats = useFormats();
  const glyph = glyphs[item.kind] ?? 'waiting';
  const of = item.namespace ?? ns;
  const detail = t.dashboard.detail(item.kind, formats.number(item.count)) ?? item.detail;
  const rerun = async (run: string) => {
    try {
      await ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path: { run }, header: { 'Idempotency-Key': idempotencyKey() } }, body: {} }));
      toast({ text: t.dashboard.rerunDone });
    } catch (error) {
      toastError(t.errors.action(t.dashboard.rerun), error);
    }
  };
  return (
    <li>
      <span data-state-word={glyph} className={css.glyph}>
        <StateGlyph state={glyph} size={13} />
      </span>
      <span className={css.what}>
        {subject(item, ns, of, t.dashboard.kinds)}
        <span className={css.detail} title={detail}>
          {detail}
        </span>
      </span>
      <span className={css.quiet}>
        <Distance ms={instant(item.since)} />
      </span>
      {item.last_run && (
        <span className={css.acts}>
          <Link to="/ns/$ns/runs/$run" params={{ ns: of, run: item.last_run }} className={css.act} aria-label={`${t.dashboard.openLog}: ${item.job ?? item.queue}`}>
            <ScrollText size={14} aria-hidden="true" />
            {t.dashboard.openLog}
          </Link>
          {item.kind === 'failing' && (
            <>
              <IconButton label={`${t.dashboard.rerun}: ${item.job}`} icon={RotateCw} size={13} onClick={() => void rerun(item.last_run ?? '')} />
              <Menu trigger={<IconButton label={`${t.common.moreActions}: ${item.job}`} icon={Ellipsis} size={13} tip={false} />}>
                <CopyItems command={{ cli: ['run', 'rerun', item.last_run], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/rerun', { run: item.last_run }), body: {} } }} />
              </Menu>
            </>
          )}
        </span>
      )}
    </li>
  );
}

function subject(item: Item, ns: string, of: string, kinds: { misfires: string; webhooks: string; unknown: string }): ReactNode {
  if (item.job) {
    return (
      <Link to="/ns/$ns/jobs/$job" params={{ ns: of, job: item.job }}>
        {item.job}
      </Link>
    );
  }
  if (item.queue) {
    return (
      <Link to="/ns/$ns/queues/$queue" params={{ ns, queue: item.queue }}>
        {item.queue}
      </Link>
    );
  }
  if (item.kind === 'misfires') {
    return (
      <Link to="/ns/$ns/misfires" params={{ ns }}>
        {kinds.misfires}
      </Link>
    );
  }
  return item.kind === 'webhooks' ? <Link to="/webhooks">{kinds.webhooks}</Link> : kinds.unknown;
}
