import { useState } from 'react';
import { raw } from '@/api/client';
import { asApiError } from '@/api/problem';
import { Button } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { Field, TextInput } from '@/components/Field';
import { useT } from '@/i18n';
import css from './login.module.css';

/** Signs in with a pasted token, and says how to get a link instead. */
export function TokenForm({ onDone, problem }: { onDone: () => void; problem?: string | undefined }) {
  const t = useT();
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const submit = async () => {
    setBusy(true);
    setRefused(undefined);
    try {
      await raw('POST', '/api/v1/session', { token: token.trim() });
      onDone();
    } catch (error) {
      const { status, message } = asApiError(error);
      setRefused(status === 401 ? t.login.tokenRefused : status === 0 ? t.errors.noAnswer : message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={css.form}>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
      <p>{t.login.withLink}</p>
      <CommandLine text="mainspring console" />
      <p className={css.or}>{t.login.withToken}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label={t.login.token} hint={t.login.tokenHint} error={refused}>
          {(field) => (
            <TextInput {...field} type="password" mono autoComplete="off" required value={token} onChange={(event) => setToken(event.target.value)} />
          )}
        </Field>
        <Button type="submit" tone="primary" busy={busy} className={css.submit}>
          {busy ? t.login.working : t.login.submit}
        </Button>
      </form>
    </div>
  );
}
