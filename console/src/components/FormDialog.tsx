import type { ReactNode } from 'react';
import { asApiError } from '@/api/problem';
import { useT } from '@/i18n';
import type { Commands } from '@/lib/commands';
import { CopyMenu } from './ActionBar';
import { Button } from './Button';
import { Dialog, type DialogProps } from './Dialog';
import css from './Dialog.module.css';
import { FormProblems } from './FormProblems';
import { Overtaken, type OvertakenProps } from './Overtaken';

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
  /** Where somebody else may save the same thing meanwhile: both versions are shown then. */
  rival?: OvertakenProps;
  /** What came of it, to be read before the dialog is closed. In place of the form. */
  done?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A dialog whose form is sent by its button, or by Enter. */
export function FormDialog({ onClose, title, description, width = 'm', action, tone = 'primary', ready = true, command, busy, onSubmit, error, rival, done, className = css.form, children }: FormDialogProps) {
  const t = useT();
  const submit = () => {
    if (ready && !busy) onSubmit();
  };
  const isOvertaken = rival !== undefined && !busy && error !== undefined && error !== null && asApiError(error).status === 412;
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
    <Dialog open onClose={onClose} title={title} description={description} width={isOvertaken ? 'l' : width} footer={footer}>
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
          <FormProblems error={busy || isOvertaken ? undefined : error}>{children}</FormProblems>
          {isOvertaken && <Overtaken {...rival} />}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
