import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '@/components/Button';
import { Loaded } from '@/components/Feedback';
import { Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import css from './Calendars.module.css';
import { kindOf, weeksOf } from './form';
import { type Calendar, removedQuery } from './queries';

/** A year of days, with those that the calendar removes filled. */
export function YearView({ calendar }: { calendar: Calendar }) {
  const t = useT();
  const formats = useFormats();
  const [year, setYear] = useState(() => new Date(serverNow()).getUTCFullYear());
  const kind = kindOf(calendar.spec);
  const times = kind === 'daily' || kind === 'cron';
  const query = useQuery({ ...removedQuery(calendar, year), enabled: !times });
  const month = new Intl.DateTimeFormat(formats.language === 'zh' ? 'zh-CN' : 'en-GB', { month: 'short', timeZone: 'UTC' });
  return (
    <Panel
      title={calendar.name}
      aside={
        !times && (
          <span className={css.years}>
            <IconButton label={t.calendars.previousYear} icon={ChevronLeft} onClick={() => setYear(year - 1)} />
            {year}
            <IconButton label={t.calendars.nextYear} icon={ChevronRight} onClick={() => setYear(year + 1)} />
          </span>
        )
      }
    >
      {calendar.spec.description && <p className={css.text}>{calendar.spec.description}</p>}
      {times ? (
        <p className={css.text}>{t.calendars.noYear}</p>
      ) : (
        <Loaded query={query} what={t.calendars.name}>
          {(removed) => {
            const inYear = [...removed].filter((day) => day.startsWith(String(year)));
            return (
              <>
                <div className={css.year} tabIndex={0} role="img" aria-label={`${t.calendars.count(formats.number(inYear.length))}: ${inYear.slice(0, 40).join(', ')}`}>
                  {weeksOf(year).map((week, index) => {
                    const first = week.find((day) => day?.endsWith('-01'));
                    return (
                      <div key={index} className={css.week}>
                        <span className={css.month}>{first ? month.format(new Date(`${first}T00:00:00Z`)) : ''}</span>
                        {week.map((day, at) => (
                          <span key={at} className={day ? css.day : css.none} data-removed={day && removed.has(day) ? true : undefined} title={day && removed.has(day) ? t.calendars.removedDay(day) : day} />
                        ))}
                      </div>
                    );
                  })}
                </div>
                <p className={css.text}>
                  {t.calendars.count(formats.number(inYear.length))}. {t.calendars.yearText}
                </p>
              </>
            );
          }}
        </Loaded>
      )}
    </Panel>
  );
}
