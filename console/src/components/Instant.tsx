import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useFormats, useT } from '@/i18n';
import { serverNow, useNow } from '@/lib/clock';
import { browserZone, prefs, usePref } from '@/lib/prefs';
import { useStore } from '@/lib/store';
import { type Precision, formatFull, formatInstant, instant } from '@/lib/time';
import css from './Instant.module.css';

/** Returns the zone in which times are shown; a job's own zone when that is what the reader chose. */
export function useZone(jobZone?: string | null): string {
  const { zone, userZone } = useStore(prefs);
  if (zone === 'utc') return 'UTC';
  if (zone === 'job' && jobZone) return jobZone;
  return userZone || browserZone;
}

export interface InstantProps {
  at: string | null | undefined;
  /** Zone of the job that the instant belongs to. */
  zone?: string | null | undefined;
  precision?: Precision;
  /** Adds how far away it is, ticking. */
  relative?: boolean;
  date?: boolean;
  offset?: boolean;
  /** Takes part in the tab order, so that the keyboard reaches the other forms. Off in tables. */
  focusable?: boolean;
}

/** An instant in the reader's zone. Hover or focus shows it in UTC, in the job's zone, as ISO and relative. */
export function Instant({ at, zone, precision, relative, date, offset, focusable = false }: InstantProps) {
  const t = useT();
  const { language } = useFormats();
  const shown = useZone(zone);
  const ms = instant(at);
  if (!Number.isFinite(ms)) return <span className={css.none}>{t.common.none}</span>;
  const text = formatInstant(ms, {
    zone: shown,
    language,
    now: serverNow(),
    ...(precision ? { precision } : {}),
    ...(date ? { date } : {}),
    ...(offset === false ? { offset } : {}),
  });
  return (
    <time dateTime={at ?? undefined} data-instant={ms} data-zone={zone ?? undefined} tabIndex={focusable ? 0 : undefined} className={css.instant}>
      <Written text={text} />
      {relative && (
        <span className={css.relative}>
          <Distance ms={ms} />
        </span>
      )}
    </time>
  );
}

/** The offset steps back: it is there for who needs it. */
function Written({ text }: { text: string }) {
  const match = /^(.*) (Z|[+−]\d\d(?::\d\d)?)$/.exec(text);
  if (!match) return <>{text}</>;
  return (
    <>
      {match[1]} <span className={css.offset}>{match[2]}</span>
    </>
  );
}

/** How far away an instant is, ticking: `in 12 m`. */
export function Distance({ ms }: { ms: number }) {
  const now = useNow();
  const formats = useFormats();
  return <>{formats.relative(ms, now)}</>;
}

/** How long something took, or takes so far. A negative span is a clock's fault, and says so. */
export function Took({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  const t = useT();
  const formats = useFormats();
  const start = instant(from);
  const end = instant(to);
  if (!Number.isFinite(start)) return <span className={css.none}>{t.common.none}</span>;
  if (!Number.isFinite(end)) return <Ticking from={start} />;
  if (end < start) return <>{t.time.clockSkew(formats.duration(start - end))}</>;
  return <>{formats.duration(end - start)}</>;
}

function Ticking({ from }: { from: number }) {
  const now = useNow();
  const formats = useFormats();
  return <>{formats.duration(Math.max(0, Math.floor((now - from) / 1000) * 1000))}</>;
}

interface Shown {
  ms: number;
  zone: string | undefined;
  x: number;
  y: number;
  above: boolean;
}

/** The one card that shows an instant in all its forms, for every `Instant` of the page. */
export function InstantCard() {
  const [shown, setShown] = useState<Shown>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const show = (target: EventTarget | null, wait: number) => {
      const element = target instanceof Element ? target.closest<HTMLElement>('[data-instant]') : null;
      clearTimeout(timer.current);
      if (!element) return setShown(undefined);
      timer.current = setTimeout(() => {
        const box = element.getBoundingClientRect();
        const above = box.bottom + 170 > innerHeight;
        const x = Math.max(8, Math.min(box.left, innerWidth - 328));
        setShown({ ms: Number(element.dataset.instant), zone: element.dataset.zone, x, y: above ? box.top - 6 : box.bottom + 6, above });
      }, wait);
    };
    const onOver = (event: Event) => show(event.target, 300);
    const onFocus = (event: Event) => show(event.target, 0);
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && show(null, 0);
    const hide = () => show(null, 0);
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', hide, true);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', hide, true);
    };
  }, []);
  return shown ? createPortal(<Card {...shown} />, document.body) : null;
}

function Card({ ms, zone, x, y, above }: Shown) {
  const t = useT();
  const { language } = useFormats();
  const [userZone] = usePref('userZone');
  const mine = userZone || browserZone;
  const rows: [string, string][] = [[t.time.utc, formatFull(ms, 'UTC', language)]];
  if (zone && zone !== 'UTC') rows.push([zone, formatFull(ms, zone, language)]);
  if (mine !== zone && mine !== 'UTC') rows.push([mine, formatFull(ms, mine, language)]);
  rows.push([t.time.iso, new Date(ms).toISOString()]);
  return (
    <div role="tooltip" className={above ? css.cardAbove : css.card} style={{ left: x, top: y }}>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{t.time.relative}</dt>
          <dd>
            <Distance ms={ms} />
          </dd>
        </div>
      </dl>
    </div>
  );
}
