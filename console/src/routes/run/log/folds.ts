/** Records of several lines that can be folded: groups that a program marks, and what belongs to the line before it. Pure. */
import { type Pages, lineAt } from './pages';

/** Lines that hang on the one before them: stack traces, causes, what is indented. */
const HANGS = /^(?:\s+\S|Caused by:|at \S|\.\.\. \d+ more)/;
const GROUP = /^::group::/;
const GROUP_ENDS = /^::endgroup::/;
/** Fewer lines are not worth a fold. */
const LINES_MIN = 3;
/** Lines of one fold: more than are kept in memory around a place could not be folded and fetched both. */
const LINES_MAX = 10_000;

/** Returns the last line of the record that a line begins, as far as the log is there; nothing where it begins none. */
export function foldEnd(state: Pages, line: number): number | undefined {
  const first = lineAt(state, line)?.text;
  if (first === undefined) return undefined;
  if (GROUP.test(first)) return groupEnd(state, line);
  if (HANGS.test(first)) return undefined;
  let end = line;
  while (end - line < LINES_MAX && HANGS.test(lineAt(state, end + 1)?.text ?? '')) end += 1;
  return end - line >= LINES_MIN ? end : undefined;
}

/** A group goes to its mark, or to where the next one begins. */
function groupEnd(state: Pages, line: number): number | undefined {
  for (let at = line + 1; at - line <= LINES_MAX; at += 1) {
    const text = lineAt(state, at)?.text;
    if (text === undefined) return state.complete && at > state.total && at - line > 1 ? at - 1 : undefined;
    if (GROUP_ENDS.test(text)) return at;
    if (GROUP.test(text)) return at - line > 1 ? at - 1 : undefined;
  }
  return undefined;
}

/** All records of the lines that are there. */
export function allFolds(state: Pages): Map<number, number> {
  const folds = new Map<number, number>();
  for (const lines of state.pages.values()) {
    let until = 0;
    for (const { line } of lines) {
      if (line <= until) continue;
      const end = foldEnd(state, line);
      if (end === undefined) continue;
      folds.set(line, end);
      until = end;
    }
  }
  return folds;
}

/** Rows of the viewer and lines of the log, with folded lines left out. */
export interface Layout {
  count: number;
  lineOf(row: number): number;
  /** The row of a line; of a folded one, that of the line under which it is folded. */
  rowOf(line: number): number;
}

/** Lays out `count` lines from `start` on, given folds by their first line. */
export function layoutOf(start: number, count: number, folds: ReadonlyMap<number, number>): Layout {
  const last = start + count - 1;
  // Hidden stretches in order, each with how many lines are hidden before it. Folds within folds are covered by the outer one.
  const hidden: { from: number; to: number; before: number }[] = [];
  let gone = 0;
  for (const [first, end] of [...folds].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(first + 1, (hidden.at(-1)?.to ?? 0) + 1, start);
    const to = Math.min(end, last);
    if (to < from) continue;
    hidden.push({ from, to, before: gone });
    gone += to - from + 1;
  }
  /** Index of the last stretch for which something holds; they are in order. */
  const lastThat = (holds: (stretch: { from: number; to: number; before: number }) => boolean) => {
    let low = 0;
    let high = hidden.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const stretch = hidden[middle];
      if (stretch && holds(stretch)) low = middle + 1;
      else high = middle;
    }
    return hidden[low - 1];
  };
  return {
    count: Math.max(0, count - gone),
    lineOf(row) {
      const stretch = lastThat(({ from, before }) => from - before - start <= row);
      return start + row + (stretch ? stretch.before + stretch.to - stretch.from + 1 : 0);
    },
    rowOf(line) {
      const stretch = lastThat(({ from }) => from <= line);
      if (!stretch) return line - start;
      if (line <= stretch.to) return stretch.from - 1 - stretch.before - start;
      return line - start - stretch.before - (stretch.to - stretch.from + 1);
    },
  };
}
