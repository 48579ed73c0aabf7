import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import css from './HeatMap.module.css';
import { dayIn, levelOf } from './heat';
import type { Hour, Month } from './hours';

/** Months by hours of the day: at which times a job runs, and at which it fails. */
export function HourMap({ namespace, months, zone }: { namespace: string; months: readonly Month[]; zone: string }) {
  const t = useT();
  const formats = useFormats();
  const table = useRef<HTMLTableElement>(null);
  const now = dayIn(zone)(serverNow()).slice(0, 7);
  const [active, setActive] = useState({ row: Math.max(0, months.findIndex(({ month }) => month === now)), hour: 0 });
  const most = (of: (hour: Hour) => number) => Math.max(0, ...months.flatMap(({ hours }) => hours.map((hour) => (hour ? of(hour) : 0))));
  const mostRuns = most(({ runs }) => runs);
  const mostPlanned = most(({ planned }) => planned);
  const monthName = new Intl.DateTimeFormat(formats.language === 'zh' ? 'zh-CN' : 'en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const nameOf = (month: string) => monthName.format(Date.parse(`${month}-15T12:00:00Z`));
  const words = (month: string, at: number, hour: Hour | undefined) => {
    const { heat } = t.jobDetail;
    const parts = [
      hour && hour.runs > 0 && heat.runs(formats.number(hour.runs), formats.number(hour.failed)),
      hour && hour.planned > 0 && heat.planned(formats.number(hour.planned)),
      hour && hour.excluded > 0 && heat.excluded(formats.number(hour.excluded)),
    ].filter(Boolean);
    return heat.of(`${nameOf(month)}, ${clock(at)}–${clock(at + 1)}`, parts.length > 0 ? parts.join(heat.and) : heat.nothing);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = { row: active.row + (step[0] ?? 0), hour: active.hour + (step[1] ?? 0) };
    if (!months[next.row] || next.hour < 0 || next.hour > 23) return;
    setActive(next);
    table.current?.querySelector<HTMLElement>(`[data-at="${next.row}-${next.hour}"]`)?.focus();
  };
  const month = months[active.row];
  const chosen = month?.hours[active.hour];
  return (
    <div className={css.scroll}>
      <table ref={table} className={css.year} aria-label={t.jobDetail.heat.hours} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <td />
            {Array.from({ length: 24 }, (_, hour) =>
              hour % 3 === 0 ? (
                <th key={hour} scope="col">
                  {hour}
                </th>
              ) : (
                <td key={hour} />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {months.map(({ month: name, hours }, row) => (
            <tr key={name}>
              <th scope="row">{nameOf(name)}</th>
              {hours.map((hour, at) => (
                <td key={at}>
                  <button
                    type="button"
                    className={css.day}
                    data-at={`${row}-${at}`}
                    data-failed={(hour?.failed ?? 0) > 0 || undefined}
                    data-excluded={(hour?.excluded ?? 0) > 0 || undefined}
                    data-runs={levelOf(hour?.runs ?? 0, mostRuns) || undefined}
                    data-planned={levelOf(hour?.planned ?? 0, mostPlanned) || undefined}
                    tabIndex={row === active.row && at === active.hour ? 0 : -1}
                    aria-label={words(name, at, hour)}
                    title={words(name, at, hour)}
                    onFocus={() => setActive({ row, hour: at })}
                    onClick={() => setActive({ row, hour: at })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {month && (
        <p className={css.chosen}>
          {words(month.month, active.hour, chosen)}
          {chosen?.newest && (
            <Link to="/ns/$ns/runs/$run" params={{ ns: namespace, run: chosen.newest.id }}>
              {chosen.newest.failed ? t.jobDetail.heat.newestFailed : t.jobDetail.heat.newestRun}
            </Link>
          )}
        </p>
      )}
    </div>
  );
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
