/** Days of a job: how its runs ended, and how often it fires. Pure. */
import { instant } from '@/lib/time';
import type { Run } from '../runs/queries';

export interface Day {
  /** `2026-11-25`, in the zone that is shown. */
  day: string;
  runs: number;
  failed: number;
  /** Fires to come. */
  planned: number;
  /** Instants that a calendar removes. */
  excluded: number;
  /** When the first and the last run of the day were recorded. */
  first: string | undefined;
  last: string | undefined;
}

/** Returns what tells the day of an instant in a zone. */
export function dayIn(zone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (ms) => format.format(ms);
}

/** Gathers runs and fires to come by day. */
export function daysOf(runs: readonly Run[], fires: readonly { at: string; excluded_by?: string | null | undefined }[], zone: string): Map<string, Day> {
  const dayOf = dayIn(zone);
  const days = new Map<string, Day>();
  const at = (text: string) => {
    const day = dayOf(instant(text));
    const found = days.get(day) ?? { day, runs: 0, failed: 0, planned: 0, excluded: 0, first: undefined, last: undefined };
    days.set(day, found);
    return found;
  };
  for (const run of runs) {
    const day = at(run.fire_at ?? run.created_at);
    day.runs += 1;
    if (run.state === 'failed') day.failed += 1;
    if (day.first === undefined || run.created_at < day.first) day.first = run.created_at;
    if (day.last === undefined || run.created_at > day.last) day.last = run.created_at;
  }
  for (const fire of fires) {
    const day = at(fire.at);
    if (fire.excluded_by) day.excluded += 1;
    else day.planned += 1;
  }
  return days;
}

/** Weeks of days, Monday first, around a day: as many before it as after. */
export function weeksAround(today: string, each: number): string[][] {
  const noon = Date.parse(`${today}T12:00:00Z`);
  const weekday = (new Date(noon).getUTCDay() + 6) % 7;
  const begin = noon - (weekday + each * 7) * 86_400_000;
  return Array.from({ length: 2 * each + 1 }, (_, week) => Array.from({ length: 7 }, (_, day) => new Date(begin + (week * 7 + day) * 86_400_000).toISOString().slice(0, 10)));
}

/** How strong a day is drawn, 1 to 4: by magnitude, as jobs fire once a day or once a second. */
export function levelOf(count: number, most: number): number {
  if (count <= 0) return 0;
  return most <= 1 ? 4 : 1 + Math.round((3 * Math.log(count)) / Math.log(most));
}
