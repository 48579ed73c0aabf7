/** A log line as pieces of text with classes: colours of terminals, links, and what a search has found. */
import Anser from 'anser';

export interface Segment {
  text: string;
  /** Class names of `LogViewer.module.css`, such as `ansi-red` and `bold`. */
  classes: readonly string[];
  /** Colours that have no name, as `rgb(…)`. */
  color?: string;
  background?: string;
  href?: string;
  /** Number of the match within the line, from 0. */
  match?: number;
}

/** Characters of a line that are shown before somebody asks for the rest. */
export const SHOWN = 4000;

// Everything but colours: cursor movement, titles and other requests to a terminal, which a page must not obey.
// biome-ignore lint: control characters are what it looks for
const OTHER = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b\[[0-9;?]*[A-Za-ln-z]|\u001b[@-Z\\^_]|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f]/g;

const LINK = /https?:\/\/[^\s"'<>`]+[^\s"'<>`.,;:!?)\]}]/g;

/** Reads the colours of a line. The texts of the pieces, joined, are what a terminal would show. */
export function readColours(line: string): Segment[] {
  const text = line.replace(OTHER, '');
  if (!text.includes('\u001b')) return text === '' ? [] : [{ text, classes: [] }];
  const out: Segment[] = [];
  for (const entry of Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true })) {
    const piece: Segment = { text: entry.content, classes: entry.decorations.map((word) => String(word)) };
    const classes: string[] = [...piece.classes];
    const fg = colour(entry.fg, entry.fg_truecolor);
    const bg = colour(entry.bg, entry.bg_truecolor);
    if (fg?.name) classes.push(fg.name);
    if (fg?.rgb) piece.color = fg.rgb;
    if (bg?.name) classes.push(`${bg.name}-bg`);
    if (bg?.rgb) piece.background = bg.rgb;
    out.push({ ...piece, classes });
  }
  return out;
}

function colour(name: string | null, trueColour: string | null): { name?: string; rgb?: string } | undefined {
  if (!name) return undefined;
  if (name === 'ansi-truecolor') return trueColour && /^\d+, \d+, \d+$/.test(trueColour) ? { rgb: `rgb(${trueColour})` } : undefined;
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  return palette ? { rgb: paletteColour(Number(palette[1])) } : { name };
}

/** Colour of the 256-colour palette, from 16 on: a cube of six steps, then greys. */
export function paletteColour(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36) % 6)}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}

/** Marks links, and the ranges that a search has found. */
export function segmentsOf(line: string, ranges: readonly (readonly [number, number])[] = [], limit = SHOWN): { segments: Segment[]; cut: boolean } {
  const coloured = readColours(line);
  const whole = coloured.map((segment) => segment.text).join('');
  const cut = whole.length > limit;
  const links = [...whole.matchAll(LINK)].map((found) => ({ from: found.index, to: found.index + found[0].length, href: found[0] }));
  const out: Segment[] = [];
  let at = 0;
  for (const segment of coloured) {
    let rest = cut ? segment.text.slice(0, Math.max(0, limit - at)) : segment.text;
    while (rest !== '') {
      const link = links.find(({ from, to }) => at >= from && at < to);
      const match = ranges.findIndex(([from, to]) => at >= from && at < to);
      const edges = [...links.flatMap(({ from, to }) => [from, to]), ...ranges.flat()].filter((edge) => edge > at);
      const until = Math.min(at + rest.length, ...edges);
      const piece: Segment = { ...segment, text: rest.slice(0, until - at) };
      if (link) piece.href = link.href;
      if (match >= 0) piece.match = match;
      out.push(piece);
      rest = rest.slice(until - at);
      at = until;
    }
  }
  return { segments: out, cut };
}
