import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { raw } from '@/api/client';
import { IconButton } from '@/components/Button';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { instant } from '@/lib/time';
import { type RunList, runsPath } from '../runs/queries';
import type { Run } from './queries';
import css from './Run.module.css';

/** Spans after a run in which the next one is looked for: lists go from the newest down. */
const SPANS_MS = [60_000, 3_600_000, 86_400_000, 40 * 86_400_000, 400 * 86_400_000];
const LIMIT = 200;

/** Leads to the run of the same job before this one, and after it. */
export function Neighbours({ run }: { run: Run }) {
  const t = useT();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const go = async (find: (run: Run) => Promise<Run | undefined>, what: string) => {
    if (busy) return;
    setBusy(true);
    try {
      const found = await find(run);
      if (found) await navigate({ to: '/ns/$ns/runs/$run', params: { ns: found.namespace, run: found.id } });
      else toast({ text: t.run.noOther });
    } catch (error) {
      toastError(what, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className={css.neighbours}>
      <IconButton label={t.run.previous} icon={ChevronLeft} onClick={() => void go(before, t.run.previous)} />
      <IconButton label={t.run.next} icon={ChevronRight} onClick={() => void go(after, t.run.next)} />
    </span>
  );
}

const list = (run: Run, search: { from?: string; to?: string }, limit: number) => raw<RunList>('GET', `${runsPath(run.namespace, { job: run.job, ...search })}&limit=${limit}`);

async function before(run: Run): Promise<Run | undefined> {
  const { items } = await list(run, { to: run.created_at }, 1);
  return items[0];
}

async function after(run: Run): Promise<Run | undefined> {
  const at = instant(run.created_at);
  for (const span of SPANS_MS) {
    const { items, next_cursor: more } = await list(run, { from: run.created_at, to: new Date(at + span).toISOString() }, LIMIT);
    const later = items.filter(({ id }) => id > run.id);
    // More than one page: the nearest is on the last one, and a shorter span had none.
    if (later.length > 0 || more) return later.at(-1);
  }
  return undefined;
}
