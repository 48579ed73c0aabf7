import { type ComponentProps, type ReactNode, useId } from 'react';
import css from './Field.module.css';
import { useProblemAt } from './FormProblems';

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** Where the value stands in what is sent, such as `name`: what the server refuses of it is said here. */
  at?: string;
  /** Beside the label, such as a unit or a link. */
  aside?: ReactNode;
  children: (field: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }) => ReactNode;
}

/** A label, a control, a hint, and what is wrong with it. */
export function Field({ label, hint, error: own, at, aside, children }: FieldProps) {
  const id = useId();
  const refused = useProblemAt(at);
  const error = own ?? refused;
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div className={css.field}>
      <div className={css.top}>
        <label htmlFor={id}>{label}</label>
        {aside && <span className={css.aside}>{aside}</span>}
      </div>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <div id={`${id}-error`} className={css.error} role="alert">
          {error}
        </div>
      )}
      {hint && (
        <div id={`${id}-hint`} className={css.hint}>
          {hint}
        </div>
      )}
    </div>
  );
}

export function TextInput({ mono, className, ...rest }: ComponentProps<'input'> & { mono?: boolean }) {
  return <input type="text" spellCheck={false} {...rest} className={[css.input, mono && css.mono, className].filter(Boolean).join(' ')} />;
}

export function TextArea({ mono, className, ...rest }: ComponentProps<'textarea'> & { mono?: boolean }) {
  return <textarea spellCheck={false} rows={3} {...rest} className={[css.input, css.area, mono && css.mono, className].filter(Boolean).join(' ')} />;
}

export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select {...rest} className={[css.input, css.select, className].filter(Boolean).join(' ')} />;
}

export function CheckBox({ label, hint, ...rest }: Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode }) {
  return (
    <label className={css.check}>
      <input type="checkbox" {...rest} />
      <span>
        {label}
        {hint && <small className={css.hint}>{hint}</small>}
      </span>
    </label>
  );
}
