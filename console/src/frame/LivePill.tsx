import { Pause, Play } from 'lucide-react';
import { Tooltip } from '@/components/Tooltip';
import { useZone } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { useNow } from '@/lib/clock';
import { live, pauseLive, resumeLive } from '@/lib/live';
import { useStore } from '@/lib/store';
import { formatFull } from '@/lib/time';
import css from './LivePill.module.css';

/** Silence after which what is shown counts as stale. */
const STALE_MS = 20_000;

/** Whether the page follows what happens, as a small dial: its hand is the server's second. */
export function LivePill() {
  const t = useT();
  const formats = useFormats();
  const zone = useZone();
  const now = useNow();
  const { mode, heardAt } = useStore(live);
  const silent = Date.now() - heardAt;
  const stale = mode === 'reconnecting' && silent > STALE_MS;
  const word = stale
    ? t.shell.stale(formats.duration(Math.floor(silent / 1000) * 1000))
    : { live: t.shell.live, paused: t.shell.paused, reconnecting: t.shell.reconnecting, polling: t.shell.polling }[mode];
  const hint = mode === 'paused' ? t.shell.pausedHint : mode === 'polling' ? t.shell.pollingHint : t.shell.liveHint;
  const paused = mode === 'paused';
  return (
    <Tooltip
      text={
        <>
          {paused ? t.shell.resumeLive : t.shell.pauseLive}. {hint}
          <br />
          {t.shell.serverTime}: {formatFull(now, zone, formats.language)}
        </>
      }
    >
      <button
        type="button"
        className={css.pill}
        data-mode={stale ? 'stale' : mode}
        aria-pressed={paused}
        aria-label={`${word}. ${paused ? t.shell.resumeLive : t.shell.pauseLive}`}
        onClick={() => (paused ? resumeLive() : pauseLive())}
      >
        <Dial second={Math.floor(now / 1000) % 60} stopped={paused} />
        <span>{word}</span>
        {paused ? <Play size={11} aria-hidden="true" /> : <Pause size={11} aria-hidden="true" />}
      </button>
    </Tooltip>
  );
}

function Dial({ second, stopped }: { second: number; stopped: boolean }) {
  const angle = ((stopped ? 0 : second) / 60) * 2 * Math.PI;
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6.900" fill="none" stroke="currentColor" strokeWidth="1.200" opacity="0.450" />
      <line x1={8 - 2 * Math.sin(angle)} y1={8 + 2 * Math.cos(angle)} x2={8 + 5.2 * Math.sin(angle)} y2={8 - 5.2 * Math.cos(angle)} stroke="currentColor" strokeWidth="1.400" strokeLinecap="round" />
      <circle cx="8" cy="8" r="1.300" fill="currentColor" />
    </svg>
  );
}
