import { type ReactNode, useState } from 'react';
import { useT } from '@/i18n';
import type { Commands } from '@/lib/commands';
import { createStore, useStore } from '@/lib/store';
import { CopyMenu } from './ActionBar';
import { Button } from './Button';
import { Dialog } from './Dialog';
import css from './Dialog.module.css';
import { Field, TextInput } from './Field';

export interface Question {
  title: string;
  text?: ReactNode;
  /** Word of the button that does it. */
  action: string;
  tone?: 'primary' | 'danger';
  /** What has to be typed first, such as the name of what is deleted. */
  typed?: string;
  /** Asks for a reason too. */
  reason?: boolean;
  /** The same for the command line and for curl. */
  command?: Commands;
}

interface Asked extends Question {
  answer: (reason: string | undefined) => void;
}

const asked = createStore<Asked | undefined>(undefined);

/** Asks before something that matters. Resolves to the reason (maybe empty), or to nothing when it is refused. */
export function confirm(question: Question): Promise<{ reason: string } | undefined> {
  return new Promise((resolve) => {
    asked.set({
      ...question,
      answer: (reason) => {
        asked.set(undefined);
        resolve(reason === undefined ? undefined : { reason });
      },
    });
  });
}

/** Shows the questions of `confirm`. Once, in the frame. */
export function ConfirmDialog() {
  const question = useStore(asked);
  return question ? <Asking key={question.title} question={question} /> : null;
}

function Asking({ question }: { question: Asked }) {
  const t = useT();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const ready = question.typed === undefined || typed === question.typed;
  const submit = () => ready && question.answer(reason);
  return (
    <Dialog
      open
      onClose={() => question.answer(undefined)}
      title={question.title}
      description={question.text}
      footer={
        <>
          {question.command && (
            <span className={css.aside}>
              <CopyMenu command={question.command} ready />
            </span>
          )}
          <Button onClick={() => question.answer(undefined)}>{t.common.cancel}</Button>
          <Button tone={question.tone ?? 'primary'} disabled={!ready} onClick={submit}>
            {question.action}
          </Button>
        </>
      }
    >
      {(question.reason || question.typed !== undefined) && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {question.typed !== undefined && (
            <Field label={t.common.typeToConfirm(question.typed)}>
              {(field) => <TextInput {...field} mono autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />}
            </Field>
          )}
          {question.reason && (
            <Field label={t.common.reason} hint={t.common.reasonHint}>
              {(field) => <TextInput {...field} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />}
            </Field>
          )}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  );
}
