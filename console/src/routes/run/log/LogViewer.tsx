import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ArrowDownToLine, ChevronDown, ChevronRight, CircleAlert, Clock, Download, FoldVertical, UnfoldVertical, WrapText } from 'lucide-react';
import { Button } from '@/components/Button';
import { useCopy } from '@/components/Copy';
import { Failure, NothingYet, Skeleton, StaleNote } from '@/components/Feedback';
import { useZone } from '@/components/Instant';
import { useFormats, useT } from '@/i18n';
import { serverNow } from '@/lib/clock';
import { apiPath } from '@/lib/config';
import { useKeys } from '@/lib/keys';
import { formatInstant, instant } from '@/lib/time';
import { FindBar } from './FindBar';
import { allFolds, foldEnd, layoutOf } from './folds';
import { type LineRange, readHash, writeHash } from './hash';
import { LogText } from './LogLineView';
import css from './LogViewer.module.css';
import { lineAt } from './pages';
import { type Search, useFind } from './useFind';
import { logPath, useLog } from './useLog';

export interface LogViewerProps {
  run: string;
  /** One attempt; all of them when absent. */
  attempt: number | undefined;
  running: boolean;
  /** Zone of the job, for the times beside the lines. */
  zone: string | undefined;
  /** Line to begin at, such as that of the first error. */
  at: number | undefined;
}

const LINE_PX = 19;
/** Lines that are scrolled through at a time: browsers have no room for millions. */
const WINDOW = 300_000;
const STEP = 150_000;

/** A log of any length: fetched as it is scrolled, searched by the server, followed while it grows. */
export function LogViewer({ run, attempt, running, zone, at }: LogViewerProps) {
  const t = useT();
  const formats = useFormats();
  const copy = useCopy();
  const shownZone = useZone(zone);
  const [marked, setMarked] = useState<LineRange | undefined>(() => readHash(location.hash));
  const begin = marked?.from ?? at;
  const log = useLog(run, attempt, running, begin);
  const [follow, setFollow] = useState(running && begin === undefined);
  const [wrap, setWrap] = useState(false);
  const [times, setTimes] = useState(true);
  const [search, setSearch] = useState<Search>({ q: '', regex: false, case: false });
  const [current, setCurrent] = useState(0);
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set());
  const [offset, setOffset] = useState<number>();
  const found = useFind(run, attempt, search);
  const box = useRef<HTMLDivElement>(null);

  const lines = Math.max(0, log.total - log.first + 1);
  const skipped = Math.min(offset ?? (begin ? Math.max(0, begin - log.first - STEP) : Math.max(0, lines - WINDOW)), Math.max(0, lines - 1));
  const start = log.first + skipped;
  const [folds, setFolds] = useState<ReadonlyMap<number, number>>(new Map());
  const layout = useMemo(() => layoutOf(start, Math.min(WINDOW, lines - skipped), folds), [start, lines, skipped, folds]);
  const rows = layout.count;

  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 30,
    getItemKey: (index) => layout.lineOf(index),
  });
  const items = virtual.getVirtualItems();
  const from = layout.lineOf(items[0]?.index ?? 0);
  const to = layout.lineOf(items.at(-1)?.index ?? 0);

  const { want } = log;
  useEffect(() => {
    if (rows > 0) want(from, to);
  }, [want, from, to, rows, log.pages]);

  const virtualRef = useRef(virtual);
  virtualRef.current = virtual;
  const show = useCallback(
    (line: number) => {
      setFollow(false);
      // What is looked for is shown, and not folded away.
      const open = without(folds, line);
      if (open !== folds) setFolds(open);
      const first = start + Math.min(WINDOW, lines - skipped);
      if (line < start || line >= first) {
        setOffset(Math.max(0, line - log.first - STEP));
        requestAnimationFrame(() => virtualRef.current.scrollToIndex(Math.min(STEP, line - log.first), { align: 'center' }));
      } else {
        const index = layoutOf(start, first - start, open).rowOf(line);
        requestAnimationFrame(() => virtualRef.current.scrollToIndex(index, { align: 'center' }));
      }
    },
    [start, lines, skipped, log.first, folds],
  );

  // The first look: at the line that was asked for, once there is one.
  const looked = useRef('');
  useLayoutEffect(() => {
    const key = `${run} ${attempt} ${begin}`;
    if (rows === 0 || looked.current === key) return;
    looked.current = key;
    if (begin !== undefined) virtualRef.current.scrollToIndex(Math.min(rows - 1, Math.max(0, layout.rowOf(begin))), { align: 'center' });
    else if (!running) virtualRef.current.scrollToIndex(rows - 1, { align: 'end' });
  }, [rows, run, attempt, begin, layout, running]);

  useLayoutEffect(() => {
    if (follow && rows > 0) virtualRef.current.scrollToIndex(rows - 1, { align: 'end' });
  }, [follow, rows]);

  const byLine = useMemo(() => new Map(found.matches.map((match) => [match.line, match.ranges])), [found.matches]);
  const go = useCallback(
    (step: number) => {
      if (found.matches.length === 0) return;
      const next = (current + step + found.matches.length) % found.matches.length;
      setCurrent(next);
      const match = found.matches[next];
      if (match) show(match.line);
    },
    [found.matches, current, show],
  );
  const firstMatch = found.matches[0]?.line;
  useEffect(() => {
    setCurrent(0);
    if (firstMatch !== undefined) show(firstMatch);
    // Only a new result moves the page.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [firstMatch, search]);

  const mark = (line: number, extend: boolean) => {
    const next = extend && marked ? { from: Math.min(marked.from, line), to: Math.max(marked.from, line) } : { from: line, to: line };
    setMarked(next);
    history.replaceState(history.state, '', `${location.pathname}${location.search}#${writeHash(next)}`);
  };

  const nextError = (step: 1 | -1) => {
    const here = Math.round((from + to) / 2);
    for (let line = here + step; line >= log.first && line <= log.total; line += step) {
      const held = lineAt(log, line);
      if (!held) break;
      if (held.level === 'error') return show(line);
    }
    return undefined;
  };

  const findBox = useRef<HTMLInputElement>(null);
  useKeys([
    { keys: 'f', label: t.run.log.follow, group: t.run.log.title, run: () => setFollow((on) => !on) },
    { keys: 'w', label: t.run.log.wrap, group: t.run.log.title, run: () => setWrap((on) => !on) },
    { keys: '/', label: t.run.log.find, group: t.run.log.title, run: () => findBox.current?.focus() },
    { keys: 'n', label: t.run.log.nextMatch, group: t.run.log.title, run: () => go(1) },
    { keys: 'shift-n', label: t.run.log.previousMatch, group: t.run.log.title, run: () => go(-1) },
    { keys: ']', label: t.run.log.nextError, group: t.run.log.title, run: () => nextError(1) },
    { keys: '[', label: t.run.log.previousError, group: t.run.log.title, run: () => nextError(-1) },
  ]);

  const digits = String(Math.max(1, log.total)).length;
  const isMarked = (line: number) => marked !== undefined && line >= marked.from && line <= marked.to;

  return (
    <section className={css.viewer} aria-label={t.run.log.title}>
      <div className={css.bar}>
        <FindBar ref={findBox} search={search} onSearch={setSearch} found={found} current={current} onStep={go} />
        <div className={css.tools} role="group" aria-label={t.run.log.view}>
          <Button size="s" icon={ArrowDownToLine} tone="quiet" aria-pressed={follow} onClick={() => setFollow(!follow)}>
            {t.run.log.follow}
          </Button>
          <Button size="s" icon={WrapText} tone="quiet" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
            {t.run.log.wrap}
          </Button>
          <Button size="s" icon={Clock} tone="quiet" aria-pressed={times} onClick={() => setTimes(!times)}>
            {t.run.log.times}
          </Button>
          <Button size="s" icon={folds.size > 0 ? UnfoldVertical : FoldVertical} tone="quiet" aria-pressed={folds.size > 0} title={t.run.log.foldHint} onClick={() => setFolds(folds.size > 0 ? new Map() : allFolds(log))}>
            {t.run.log.fold}
          </Button>
          <a className={css.download} href={apiPath(logPath(run, { attempt }, '/text'))} download>
            <Download size={14} aria-hidden="true" /> {t.common.download}
          </a>
        </div>
      </div>
      {log.error !== undefined && lines > 0 && <StaleNote error={log.error} onRetry={log.retry} />}
      {lines === 0 ? (
        <div className={css.empty}>
          {log.loading ? <Skeleton lines={8} /> : log.error !== undefined ? <Failure error={log.error} what={t.run.log.title} onRetry={log.retry} /> : <NothingYet what={t.run.log.lines}>{running ? t.run.log.emptyRunning : t.run.log.empty}</NothingYet>}
        </div>
      ) : (
        <div
          ref={box}
          className={css.box}
          data-wrap={wrap || undefined}
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label={t.run.log.title}
          onWheel={(event) => event.deltaY < 0 && setFollow(false)}
        >
          {skipped > 0 && (
            <button type="button" className={css.more} onClick={() => setOffset(Math.max(0, skipped - STEP))}>
              {t.run.log.earlier(formats.number(skipped))}
            </button>
          )}
          <div className={css.lines} style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const number = layout.lineOf(item.index);
              const line = lineAt(log, number);
              const folded = folds.get(number);
              const end = folded ?? foldEnd(log, number);
              return (
                <div
                  key={item.key}
                  ref={wrap ? virtual.measureElement : undefined}
                  data-index={item.index}
                  className={css.line}
                  data-level={line?.level}
                  data-stream={line?.stream}
                  data-group={line?.text.startsWith('::group::') || undefined}
                  data-marked={isMarked(number) || undefined}
                  data-current={found.matches[current]?.line === number || undefined}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <button
                    type="button"
                    tabIndex={-1}
                    className={css.number}
                    style={{ width: `${digits + 1}ch` }}
                    aria-label={t.run.log.linkTo(formats.number(number))}
                    onClick={(event) => mark(number, event.shiftKey)}
                    onDoubleClick={() => copy(`${location.origin}${location.pathname}${location.search}#${writeHash(marked ?? { from: number, to: number })}`)}
                  >
                    {number}
                  </button>
                  <span className={css.fold}>
                    {end !== undefined && (
                      <button
                        type="button"
                        aria-expanded={folded === undefined}
                        aria-label={t.run.log.record(formats.number(number), formats.number(end - number))}
                        onClick={() => setFolds(folded === undefined ? new Map(folds).set(number, end) : without(folds, number + 1))}
                      >
                        {folded === undefined ? <ChevronDown size={12} aria-hidden="true" /> : <ChevronRight size={12} aria-hidden="true" />}
                      </button>
                    )}
                  </span>
                  {times && <span className={css.time}>{line ? formatInstant(instant(line.at), { zone: shownZone, language: formats.language, now: serverNow(), precision: 'ms', offset: false }) : ''}</span>}
                  {line?.level === 'error' && <CircleAlert size={12} className={css.mark} aria-label={t.run.log.error} />}
                  <span className={css.text}>
                    {line ? (
                      <LogText line={line} ranges={byLine.get(number)} whole={whole.has(number)} onWhole={(one) => setWhole((before) => new Set(before).add(one))} />
                    ) : (
                      <span className={css.pending}>…</span>
                    )}
                    {folded !== undefined && <span className={css.folded}>{t.run.log.folded(formats.number(folded - number))}</span>}
                  </span>
                </div>
              );
            })}
          </div>
          {skipped + WINDOW < lines && (
            <button type="button" className={css.more} onClick={() => setOffset(skipped + STEP)}>
              {t.run.log.later(formats.number(lines - skipped - WINDOW))}
            </button>
          )}
        </div>
      )}
      <p className={css.foot}>
        {lines > 0 && <span>{t.run.log.count(formats.number(lines))}</span>}
        {log.truncated && <span className={css.warn}>{t.run.log.truncated}</span>}
        {marked && <span>{writeHash(marked)}</span>}
        {follow && running && <span className={css.following}>{t.run.log.following}</span>}
      </p>
    </section>
  );
}

/** The folds but those that hide a line; the same ones where none does. */
function without(folds: ReadonlyMap<number, number>, line: number): ReadonlyMap<number, number> {
  const left = [...folds].filter(([first, end]) => !(first < line && line <= end));
  return left.length === folds.size ? folds : new Map(left);
}
