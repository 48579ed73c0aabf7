/** The hours of a job's days, month by month: how its runs ended, and how often it fires. Pure. */
import { instant } from '@/lib/time';
import type { Run } from '../runs/queries';

export interface Hour {
  runs: number;
  failed: number;
  /** Fires to come. */
  planned: number;
  /** Instants that a calendar removes. */
  excluded: number;
  /** The newest run, and one that failed before others. */
  newest: { id: string; at: number; failed: boolean } | undefined;
}

export interface Month {
  /** `2026-11`, in the zone that is shown. */
  month: string;
  /** One for each hour of the day, where anything happened. */
  hours: (Hour | undefined)[];
}

/** Gathers runs and fires to come by month and hour of the day, the earliest month first. */
export function monthsOf(runs: readonly Pick<Run, 'id' | 'state' | 'fire_at' | 'created_at'>[], fires: readonly { at: string; excluded_by?: string | null | undefined }[], zone: string): Month[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' });
  const months = new Map<string, Month>();
  const at = (ms: number): Hour => {
    // `2026-11-25, 14`
    const text = format.format(ms);
    const name = text.slice(0, 7);
    const month = months.get(name) ?? { month: name, hours: Array.from({ length: 24 }, () => undefined) };
    months.set(name, month);
    return (month.hours[Number(text.slice(-2))] ??= { runs: 0, failed: 0, planned: 0, excluded: 0, newest: undefined });
  };
  for (const run of runs) {
    const ms = instant(run.fire_at ?? run.created_at);
    const hour = at(ms);
    const failed = run.state === 'failed';
    hour.runs += 1;
    if (failed) hour.failed += 1;
    const before = hour.newest;
    if (!before || (failed === before.failed ? ms > before.at : failed)) hour.newest = { id: run.id, at: ms, failed };
  }
  for (const fire of fires) {
    const hour = at(instant(fire.at));
    if (fire.excluded_by) hour.excluded += 1;
    else hour.planned += 1;
  }
  return [...months.values()].sort((a, b) => a.month.localeCompare(b.month));
}
