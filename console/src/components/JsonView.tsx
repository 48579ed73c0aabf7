import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useFormats, useT } from '@/i18n';
import { type Json, parseExact, printExact } from '@/lib/json';
import { Button } from './Button';
import { CopyButton } from './Copy';
import css from './JsonView.module.css';

/** Members or items that are drawn at first, and added with each click. */
const STEP = 100;
/** Characters of a string that are drawn before one asks for the rest. */
const STRING_MAX = 2000;

/**
 * JSON as a tree that folds. Takes text, or what `parseExact` made of it: numbers keep every digit.
 * Text that is not JSON is shown as it is.
 */
export function JsonView({ text, json, open = 2 }: { text?: string | undefined; json?: Json | undefined; open?: number }) {
  const tree = useMemo(() => json ?? tryParse(text ?? ''), [json, text]);
  if (!tree) return <pre className={css.plain}>{text}</pre>;
  return (
    <div className={css.view}>
      <div className={css.copy}>
        <CopyButton text={printExact(tree)} />
      </div>
      <Node json={tree} depth={0} open={open} last />
    </div>
  );
}

function tryParse(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function Node({ name, json, depth, open, last }: { name?: string; json: Json; depth: number; open: number; last: boolean }) {
  const label = name !== undefined && (
    <>
      <span className={css.name}>{JSON.stringify(name)}</span>
      <span className={css.mark}>: </span>
    </>
  );
  const comma = !last && <span className={css.mark}>,</span>;
  if (json.kind === 'array' || json.kind === 'object') {
    const entries: (readonly [string | undefined, Json])[] = json.kind === 'object' ? json.members : json.items.map((item) => [undefined, item] as const);
    const marks = json.kind === 'object' ? (['{', '}'] as const) : (['[', ']'] as const);
    if (entries.length === 0) {
      return (
        <div className={css.line}>
          {label}
          <span className={css.mark}>{marks.join('')}</span>
          {comma}
        </div>
      );
    }
    return <Branch label={label} comma={comma} entries={entries} marks={marks} depth={depth} open={open} />;
  }
  return (
    <div className={css.line}>
      {label}
      <Leaf json={json} />
      {comma}
    </div>
  );
}

interface BranchProps {
  label: React.ReactNode;
  comma: React.ReactNode;
  entries: (readonly [string | undefined, Json])[];
  marks: readonly [string, string];
  depth: number;
  open: number;
}

function Branch({ label, comma, entries, marks, depth, open }: BranchProps) {
  const t = useT();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(depth < open);
  const [shown, setShown] = useState(STEP);
  return (
    <div>
      <button type="button" className={css.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={11} aria-hidden="true" data-open={isOpen || undefined} />
        {label}
        <span className={css.mark}>{marks[0]}</span>
        {!isOpen && (
          <>
            <span className={css.count}>{t.common.items(formats.number(entries.length))}</span>
            <span className={css.mark}>{marks[1]}</span>
            {comma}
          </>
        )}
      </button>
      {isOpen && (
        <>
          <div className={css.children}>
            {entries.slice(0, shown).map(([name, value], index) => (
              <Node key={index} {...(name === undefined ? {} : { name })} json={value} depth={depth + 1} open={open} last={index === entries.length - 1} />
            ))}
            {entries.length > shown && (
              <Button size="s" onClick={() => setShown(shown + STEP * 10)}>
                {t.common.loadMore} ({formats.number(entries.length - shown)})
              </Button>
            )}
          </div>
          <div className={css.line}>
            <span className={css.mark}>{marks[1]}</span>
            {comma}
          </div>
        </>
      )}
    </div>
  );
}

function Leaf({ json }: { json: Json }) {
  const t = useT();
  const [whole, setWhole] = useState(false);
  if (json.kind === 'number') return <span className={css.number}>{json.text}</span>;
  if (json.kind !== 'string') return <span className={css.word}>{json.kind}</span>;
  const long = json.value.length > STRING_MAX && !whole;
  return (
    <span className={css.string}>
      {JSON.stringify(long ? json.value.slice(0, STRING_MAX) : json.value)}
      {long && (
        <Button size="s" onClick={() => setWhole(true)}>
          {t.common.loadMore}
        </Button>
      )}
    </span>
  );
}
