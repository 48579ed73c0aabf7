import type { ReactNode } from 'react';
import { useT } from '@/i18n';
import type { Commands } from '@/lib/commands';
import { CopyMenu } from './ActionBar';
import { Button } from './Button';
import { Dialog, type DialogProps } from './Dialog';
import css from './Dialog.module.css';
import { FormProblems } from './FormProblems';

export interface FormDialogProps extends Pick<DialogProps, 'onClose' | 'title' | 'description' | 'width'> {
  /** Word of the button that sends what was typed. */
  action: string;
  tone?: 'primary' | 'danger';
  /** Whether what was typed can be sent. */
  ready?: boolean;
  /** The same for the command line and for curl. */
  command: Commands;
  /** Whether it is being sent: it is not sent twice. */
  busy: boolean;
  onSubmit: () => void;
  /** What was answered, if it was refused or got lost: it is said in the form, which stays as it is. */
  error?: unknown;
  /** What came of it, to be read before the dialog is closed. In place of the form. */
  done?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A dialog whose form is sent by its button, or by Enter. */
export function FormDialog({ onClose, title, description, width = 'm', action, tone = 'primary', ready = true, command, busy, onSubmit, error, done, className = css.form, children }: FormDialogProps) {
  const t = useT();
  const submit = () => {
    if (ready && !busy) onSubmit();
  };
  const footer = done ? (
    <Button tone="primary" onClick={onClose}>
      {t.common.close}
    </Button>
  ) : (
    <>
      <span className={css.aside}>
        <CopyMenu command={command} ready={ready} />
      </span>
      <Button onClick={onClose}>{t.common.cancel}</Button>
      <Button tone={tone} busy={busy} disabled={!ready} onClick={submit}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={title} description={description} width={width} footer={footer}>
      {done ? (
        done
      ) : (
        <form
          className={className}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <FormProblems error={busy ? undefined : error}>{children}</FormProblems>
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
