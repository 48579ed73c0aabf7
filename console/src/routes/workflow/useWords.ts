/** Words for runs and tasks in the grid. */
import { useZone } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { formatInstant, instant } from '@/lib/time';
import type { Run } from '../runs/queries';
import type { TaskStatus } from './status';

/** Writes for which time a run is: its fire time, or when somebody asked for it. */
export function useRunTime(): (run: Run) => string {
  const formats = useFormats();
  const zone = useZone();
  return (run) => formatInstant(instant(run.fire_at ?? run.created_at), { zone, language: formats.language, now: serverNow(), precision: 'minute', offset: false });
}

/** Writes how a task stands, of a run that has it. */
export function useTaskWord(): (status: TaskStatus | undefined) => string {
  const t = useT();
  return (status) => (status ? t.workflow.words[status.word ?? 'none'] || t.states.words[status.state] : t.workflow.notInRun);
}
