import { describe, expect, it } from 'vitest';
import { readHash, writeHash } from './hash';
import { PAGE, askFrom, empty, isWhole, lineAt, merge, missing, prune } from './pages';
import { paletteColour, readColours, segmentsOf } from './segments';
import type { LogLine, LogPage } from './types';

function answer(from: number, to: number, total: number, more: Partial<LogPage> = {}): LogPage {
  const lines = Array.from({ length: to - from + 1 }, (_, index): LogLine => ({ line: from + index, attempt: 1, at: '2026-11-25T09:00:00.000Z', stream: 'stdout', text: `line ${from + index}` }));
  return { lines, next_line: to + 1, first_line: 1, total_lines: total, complete: false, truncated: false, ...more };
}

describe('pages of a log', () => {
  it('finds a line in the page that holds it', () => {
    const state = merge(empty, answer(PAGE + 1, 2 * PAGE, 10_000));
    expect(lineAt(state, PAGE + 7)?.text).toBe(`line ${PAGE + 7}`);
    expect(lineAt(state, 7)).toBeUndefined();
    expect(missing(state, PAGE - 1, 2 * PAGE + 1)).toEqual([0, 2]);
  });

  it('asks for the rest of a page whose answer ended early', () => {
    const state = merge(empty, answer(1, 120, 10_000));
    expect(isWhole(state, 0)).toBe(false);
    expect(askFrom(state, 0)).toBe(121);
    expect(isWhole(merge(state, answer(121, PAGE, 10_000)), 0)).toBe(true);
  });

  it('asks from the beginning of a page of which only the end is there', () => {
    expect(askFrom(merge(empty, answer(400, PAGE, 10_000)), 0)).toBe(1);
  });

  it('never lets an answer that was overtaken shrink the log', () => {
    const state = merge(merge(empty, answer(1, PAGE, 900)), answer(1, 10, 10));
    expect(state.total).toBe(900);
    expect(lineAt(state, PAGE)?.line).toBe(PAGE);
  });

  it('keeps the pages around what is shown', () => {
    let state = empty;
    for (let page = 0; page < 100; page += 1) state = merge(state, answer(page * PAGE + 1, page * PAGE + 3, 1_000_000));
    const kept = prune(state, 90 * PAGE);
    expect(kept.pages.size).toBe(60);
    expect(kept.pages.has(90)).toBe(true);
    expect(kept.pages.has(0)).toBe(false);
  });
});

describe('a line of a log', () => {
  it('keeps markup as text', () => {
    expect(segmentsOf('<img src=x onerror=alert(1)>').segments).toEqual([{ text: '<img src=x onerror=alert(1)>', classes: [] }]);
  });

  it('reads colours, also those without a name', () => {
    const [red, plain] = readColours('\u001b[1;31mfailed\u001b[0m now');
    expect(red).toEqual({ text: 'failed', classes: ['bold', 'ansi-red'] });
    expect(plain?.text).toBe(' now');
    expect(readColours('\u001b[38;2;1;2;3mx')[0]?.color).toBe('rgb(1, 2, 3)');
    expect(readColours('\u001b[38;5;196mx')[0]?.color).toBe(paletteColour(196));
    expect(paletteColour(196)).toBe('rgb(255, 0, 0)');
    expect(paletteColour(244)).toBe('rgb(128, 128, 128)');
  });

  it('obeys no other escape sequence', () => {
    const text = readColours('a\u001b]0;title\u0007b\u001b[2Jc\u001b[10;10Hd').map((segment) => segment.text);
    expect(text.join('')).toBe('abcd');
  });

  it('marks matches across colours, and links without the full stop', () => {
    const { segments } = segmentsOf('see \u001b[32mhttps://a.b/c.\u001b[0m', [[0, 3]]);
    expect(segments.map(({ text, href, match }) => [text, href, match])).toEqual([
      ['see', undefined, 0],
      [' ', undefined, undefined],
      ['https://a.b/c', 'https://a.b/c', undefined],
      ['.', undefined, undefined],
    ]);
  });

  it('links no script', () => {
    expect(segmentsOf('javascript:alert(1) data:text/html,x').segments.some((segment) => segment.href)).toBe(false);
  });

  it('shows the beginning of a long line', () => {
    const { segments, cut } = segmentsOf('x'.repeat(10_000), [], 100);
    expect(cut).toBe(true);
    expect(segments[0]?.text).toHaveLength(100);
  });
});

describe('links to lines', () => {
  it('reads what it writes', () => {
    for (const range of [{ from: 3, to: 3 }, { from: 120, to: 140 }]) expect(readHash(`#${writeHash(range)}`)).toEqual(range);
    expect(readHash('#L9-L3')).toEqual({ from: 3, to: 9 });
    expect(readHash('#L0')).toBeUndefined();
    expect(readHash('#overview')).toBeUndefined();
  });
});
