import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { asApiError, type Problem } from '@/api/problem';
import { useT } from '@/i18n';
import css from './Dialog.module.css';

interface Claims {
  errors: readonly Problem[];
  /** Says that a field shows what is wrong at a place. Returns what takes that back. */
  claim: (at: string) => () => void;
}

const Context = createContext<Claims | undefined>(undefined);

/** Whether a pointer leads to a place, or into it. */
const isAt = (pointer: string | null | undefined, at: string) => pointer === `/${at}` || pointer?.startsWith(`/${at}/`) === true;

/** What the server refused of a form: beside the fields that say where they stand, and the rest below all of them. */
export function FormProblems({ error, children }: { error: unknown; children: ReactNode }) {
  const t = useT();
  const claimed = useRef(new Map<string, number>());
  const problem = error ? asApiError(error) : undefined;
  const errors = problem?.errors;
  const claims = useMemo(
    (): Claims => ({
      errors: errors ?? [],
      claim: (at) => {
        claimed.current.set(at, (claimed.current.get(at) ?? 0) + 1);
        return () => void claimed.current.set(at, (claimed.current.get(at) ?? 1) - 1);
      },
    }),
    [errors],
  );
  const rest = problem?.errors.filter(({ pointer }) => ![...claimed.current].some(([at, count]) => count > 0 && isAt(pointer, at))) ?? [];
  return (
    <Context value={claims}>
      {children}
      {problem && (rest.length > 0 || problem.errors.length === 0) && (
        <div className={css.problem} role="alert">
          {problem.errors.length === 0 && t.said.both(problem)}
          {rest.map((one, index) => (
            <p key={index}>
              {one.pointer && <code>{one.pointer}</code>} {t.said.both(one)}
            </p>
          ))}
        </div>
      )}
    </Context>
  );
}

/** What the server says is wrong at a place of the form around. */
export function useProblemAt(at: string | undefined): string | undefined {
  const t = useT();
  const form = useContext(Context);
  const claim = form?.claim;
  useEffect(() => (at === undefined ? undefined : claim?.(at)), [at, claim]);
  const found = at === undefined ? undefined : form?.errors.find(({ pointer }) => isAt(pointer, at));
  return found && t.said.both(found);
}
