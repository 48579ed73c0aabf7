import { Search, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { ApiError } from '@/api/problem';
import { useT } from '@/i18n';
import { IconButton } from './Button';
import css from './QueryInput.module.css';

export interface QueryInputProps {
  label: string;
  placeholder?: string;
  value: string;
  /** Called when the reader stops typing, or chooses. */
  onChange: (value: string) => void;
  /** Terms that may stand where the word under the cursor stands. */
  suggest?: (word: string, signal: AbortSignal) => Promise<readonly string[]>;
  problem?: string | undefined;
}

/** What is wrong with a query, in the server's words; nothing where something else is. */
export function queryProblem(error: ApiError | undefined, { said }: Pick<ReturnType<typeof useT>, 'said'>): string | undefined {
  return error?.code === 'search.syntax' ? said.both(error) : undefined;
}

const WAIT_MS = 250;

/** The word that the cursor is in or behind. */
export function wordAt(text: string, cursor: number): { start: number; end: number; word: string } {
  const before = text.slice(0, cursor);
  const start = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t')) + 1;
  const rest = /^\S*/.exec(text.slice(cursor))?.[0] ?? '';
  return { start, end: cursor + rest.length, word: text.slice(start, cursor) };
}

/** A query with completion. `/` focuses it. */
export function QueryInput({ label, placeholder, value, onChange, suggest, problem }: QueryInputProps) {
  const t = useT();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [options, setOptions] = useState<readonly string[]>([]);
  const [active, setActive] = useState(-1);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asking = useRef<AbortController>(undefined);
  const sent = useRef(value);

  // The address changed by other means: a chip, the history.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const send = (next: string) => {
    clearTimeout(timer.current);
    if (next === sent.current) return;
    sent.current = next;
    onChange(next);
  };
  const close = () => {
    asking.current?.abort();
    setOptions([]);
  };
  const ask = (word: string) => {
    close();
    setActive(-1);
    if (!suggest || word === '') return;
    const controller = new AbortController();
    asking.current = controller;
    // Completion that fails is no completion: the query works without.
    suggest(word, controller.signal).then(
      (found) => !controller.signal.aborted && setOptions(found.filter((option) => option !== word)),
      () => undefined,
    );
  };
  const change = (next: string, cursor: number) => {
    setText(next);
    ask(wordAt(next, cursor).word);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => send(next.trim()), WAIT_MS);
  };
  const choose = (option: string) => {
    const { start, end } = wordAt(text, input.current?.selectionStart ?? text.length);
    const next = `${text.slice(0, start)}${option}${option.endsWith(':') ? '' : ' '}${text.slice(end).trimStart()}`;
    setText(next);
    close();
    if (option.endsWith(':')) ask(option);
    else send(next.trim());
    input.current?.focus();
  };

  const open = options.length > 0;
  return (
    <div className={css.box}>
      <Search size={14} aria-hidden="true" />
      <input
        ref={input}
        type="text"
        data-page-search
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={(event) => change(event.target.value, event.target.selectionStart ?? event.target.value.length)}
        onBlur={() => {
          close();
          send(text.trim());
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          const option = options[active];
          if (open && step) setActive((active + step + options.length) % options.length);
          else if (open && (event.key === 'Enter' || event.key === 'Tab') && option) choose(option);
          else if (event.key === 'Enter') {
            close();
            send(text.trim());
          } else if (event.key === 'Escape' && open) close();
          else if (event.key === 'Escape') input.current?.blur();
          else return;
          event.preventDefault();
        }}
      />
      {text !== '' && (
        <IconButton
          label={t.common.clear}
          icon={X}
          size={13}
          tip={false}
          onClick={() => {
            setText('');
            send('');
            input.current?.focus();
          }}
        />
      )}
      <ul id={`${id}-list`} role="listbox" aria-label={label} className={css.list} hidden={!open}>
        {options.map((option, index) => (
          <li
            key={option}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(option);
            }}
          >
            {option}
          </li>
        ))}
      </ul>
      {problem && (
        <div id={`${id}-problem`} className={css.problem} role="alert">
          {problem}
        </div>
      )}
    </div>
  );
}
