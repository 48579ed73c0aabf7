/** Pages of a log in memory: which lines are there, which are to be fetched. Pure; the hook beside it fetches. */
import type { LogLine, LogPage } from './types';

/** Lines of a page. A request brings one page. */
export const PAGE = 500;

export interface Pages {
  /** Number of the first line that there is; lines before it belong to earlier attempts. */
  first: number;
  /** Number of the last line that there is so far. */
  total: number;
  complete: boolean;
  truncated: boolean;
  pages: ReadonlyMap<number, readonly LogLine[]>;
}

export const empty: Pages = { first: 1, total: 0, complete: false, truncated: false, pages: new Map() };

/** Index of the page that holds a line. */
export function pageOf(line: number): number {
  return Math.floor((line - 1) / PAGE);
}

/** First line of a page. */
export function startOf(page: number): number {
  return page * PAGE + 1;
}

export function lineAt(state: Pages, line: number): LogLine | undefined {
  const page = state.pages.get(pageOf(line));
  if (!page) return undefined;
  const begin = page[0]?.line ?? 0;
  const direct = page[line - begin];
  return direct?.line === line ? direct : page.find((candidate) => candidate.line === line);
}

/** Whether a page holds all the lines that it can have by now. */
export function isWhole(state: Pages, page: number): boolean {
  const held = state.pages.get(page);
  if (!held) return false;
  const last = Math.min(startOf(page + 1) - 1, state.total);
  return (held.at(-1)?.line ?? 0) >= last;
}

/** Pages that the lines `from..=to` need and that are not whole. */
export function missing(state: Pages, from: number, to: number): number[] {
  const out: number[] = [];
  const last = Math.min(to, state.total);
  for (let page = pageOf(Math.max(from, state.first)); last >= state.first && page <= pageOf(last); page += 1) {
    if (!isWhole(state, page)) out.push(page);
  }
  return out;
}

/** The line from which a page is to be asked for: the first that is not there. An answer may hold less than a page when lines are long. */
export function askFrom(state: Pages, page: number): number {
  const start = startOf(page);
  const held = state.pages.get(page);
  const begins = held !== undefined && (held[0]?.line ?? Number.POSITIVE_INFINITY) <= Math.max(start, state.first);
  return begins ? Math.max(start, (held.at(-1)?.line ?? 0) + 1) : start;
}

/** Puts the lines of an answer in their places. Totals never shrink: answers may overtake each other. */
export function merge(state: Pages, answer: LogPage): Pages {
  const pages = new Map(state.pages);
  const touched = new Map<number, Map<number, LogLine>>();
  for (const line of answer.lines) {
    const page = pageOf(line.line);
    let lines = touched.get(page);
    if (!lines) {
      lines = new Map((pages.get(page) ?? []).map((held) => [held.line, held]));
      touched.set(page, lines);
    }
    lines.set(line.line, line);
  }
  for (const [page, lines] of touched) pages.set(page, [...lines.values()].sort((a, b) => a.line - b.line));
  return {
    first: answer.first_line || 1,
    total: Math.max(state.total, answer.total_lines),
    complete: state.complete || answer.complete,
    truncated: state.truncated || answer.truncated,
    pages,
  };
}

const KEPT = 60;

/** Forgets pages far from what is shown, so that a million lines do not stay in memory. */
export function prune(state: Pages, around: number): Pages {
  if (state.pages.size <= KEPT) return state;
  const here = pageOf(around);
  const near = [...state.pages.entries()].sort((a, b) => Math.abs(a[0] - here) - Math.abs(b[0] - here));
  return { ...state, pages: new Map(near.slice(0, KEPT)) };
}
