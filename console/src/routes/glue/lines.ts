/** Line ends of scripts: editors know one of them only, and scripts that come from browsers have others. Pure. */

const END = /\r\n?|\n/g;

/** A text as the editor has it: each line ends with a line feed. */
export function asEdited(text: string): string {
  return text.replace(END, '\n');
}

interface Line {
  text: string;
  /** Empty for what follows the last line end. */
  end: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(END)) {
    lines.push({ text: text.slice(from, index), end });
    from = index + end.length;
  }
  return [...lines, { text: text.slice(from), end: '' }];
}

/** What most lines end with. */
function usual(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? '\n';
}

/** What was edited, with the line ends of the script that it was made of: lines before and after the change keep theirs, others get the usual one. */
export function asKept(edited: string, original: string): string {
  const lines = edited.split('\n');
  const before = linesOf(original);
  const most = Math.min(lines.length, before.length);
  let head = 0;
  while (head < most && lines[head] === before[head]?.text) head += 1;
  let tail = 0;
  while (tail < most - head && lines.at(-1 - tail) === before.at(-1 - tail)?.text) tail += 1;
  const added = usual(before);
  const endOf = (index: number) => {
    if (index === lines.length - 1) return '';
    const same = index < head ? before[index] : index >= lines.length - tail ? before[before.length - lines.length + index] : undefined;
    return same?.end || added;
  };
  return lines.map((line, index) => line + endOf(index)).join('');
}
