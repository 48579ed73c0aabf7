/** Days of the dashboard as weeks. Pure. */

export interface Week {
  /** `2026-11-23`, its Monday. */
  monday: string;
  missed: number;
}

const DAY_MS = 86_400_000;

/** Adds days up to weeks that begin on Mondays of UTC, as rollups count days of UTC. The first one may be cut short. */
export function weeksOf(days: readonly { at: string; missed: number }[]): Week[] {
  const weeks = new Map<string, Week>();
  for (const { at, missed } of days) {
    const ms = Date.parse(at);
    const weekday = (new Date(ms).getUTCDay() + 6) % 7;
    const monday = new Date(ms - weekday * DAY_MS).toISOString().slice(0, 10);
    const week = weeks.get(monday) ?? { monday, missed: 0 };
    week.missed += missed;
    weeks.set(monday, week);
  }
  return [...weeks.values()];
}

/** The days of a week, for the label of its bar. */
export function daysOfWeek({ monday }: Week): [from: number, to: number] {
  const from = Date.parse(`${monday}T12:00:00Z`);
  return [from, from + 6 * DAY_MS];
}
