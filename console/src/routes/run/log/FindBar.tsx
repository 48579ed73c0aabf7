import { CaseSensitive, ChevronDown, ChevronUp, Regex, Search as SearchIcon } from 'lucide-react';
import type { Ref } from 'react';
import { asApiError } from '@/api/problem';
import { IconButton } from '@/components/Button';
import { useFormats, useT } from '@/i18n';
import css from './LogViewer.module.css';
import type { Find, Search } from './useFind';

export interface FindBarProps {
  ref: Ref<HTMLInputElement>;
  search: Search;
  onSearch: (search: Search) => void;
  found: Find;
  current: number;
  onStep: (step: 1 | -1) => void;
}

export function FindBar({ ref, search, onSearch, found, current, onStep }: FindBarProps) {
  const t = useT();
  const formats = useFormats();
  const problem = found.error === undefined ? undefined : t.said.both(asApiError(found.error));
  const state =
    search.q === ''
      ? ''
      : problem !== undefined
        ? problem
        : found.busy && found.count === 0
          ? t.run.log.searching
          : found.count === 0
            ? t.run.log.noMatch
            : t.run.log.matchOf(formats.number(current + 1), formats.number(found.count)) + (found.done ? '' : '+');
  return (
    <div className={css.find} role="search" data-bad={problem !== undefined || undefined}>
      <SearchIcon size={14} aria-hidden="true" />
      <input
        ref={ref}
        type="text"
        spellCheck={false}
        value={search.q}
        maxLength={512}
        placeholder={t.run.log.find}
        aria-label={t.run.log.find}
        onChange={(event) => onSearch({ ...search, q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') {
            onSearch({ ...search, q: '' });
            event.currentTarget.blur();
          }
        }}
      />
      <output aria-live="polite" title={problem}>
        {state}
      </output>
      <IconButton label={t.run.log.matchCase} icon={CaseSensitive} aria-pressed={search.case} onClick={() => onSearch({ ...search, case: !search.case })} />
      <IconButton label={t.run.log.useRegex} icon={Regex} size={13} aria-pressed={search.regex} onClick={() => onSearch({ ...search, regex: !search.regex })} />
      <IconButton label={t.run.log.previousMatch} icon={ChevronUp} disabled={found.matches.length === 0} onClick={() => onStep(-1)} />
      <IconButton label={t.run.log.nextMatch} icon={ChevronDown} disabled={found.matches.length === 0} onClick={() => onStep(1)} />
    </div>
  );
}
