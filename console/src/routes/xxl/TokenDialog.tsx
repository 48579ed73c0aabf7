import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { asApiError } from '@/api/problem';
import { CopyMenu } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { Dialog } from '@/components/Dialog';
import { CheckBox } from '@/components/Field';
import { useT } from '@/i18n';
import css from './Xxl.module.css';
import { rotateToken } from './commands';
import type { XxlApp } from './queries';
import { useRenewXxl } from './useXxlActions';

/** Gives an app another token, which is shown once. */
export function TokenDialog({ app, onClose }: { app: XxlApp; onClose: () => void }) {
  const t = useT();
  const renew = useRenewXxl();
  const [atOnce, setAtOnce] = useState(false);
  const rotate = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/xxl/apps/{app}/token', { params: { path: { app: app.name }, header: { 'Idempotency-Key': idempotencyKey() } }, body: { at_once: atOnce } })),
    onSuccess: () => void renew(),
  });
  const problem = rotate.error ? asApiError(rotate.error) : undefined;
  const token = rotate.data?.token;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.xxl.rotateTitle(app.name)}
      description={token ? t.xxl.tokenOnce : t.xxl.rotateText}
      footer={
        token ? (
          <Button tone="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        ) : (
          <>
            <CopyMenu command={rotateToken(app.name, atOnce)} ready />
            <Button onClick={onClose}>{t.common.cancel}</Button>
            <Button tone={atOnce ? 'danger' : 'primary'} busy={rotate.isPending} onClick={() => rotate.mutate()}>
              {t.xxl.rotate}
            </Button>
          </>
        )
      }
    >
      {token ? (
        <NewToken token={token} />
      ) : (
        <div className={css.form}>
          {problem && (
            <p className={css.problem} role="alert">
              {t.said.both(problem)}
            </p>
          )}
          <CheckBox label={t.xxl.atOnce} hint={t.xxl.atOnceHint} checked={atOnce} onChange={(event) => setAtOnce(event.target.checked)} />
        </div>
      )}
    </Dialog>
  );
}

/** A token that is shown this once, and the settings that it goes into. */
export function NewToken({ token }: { token: string }) {
  const t = useT();
  return (
    <div className={css.form}>
      <CommandLine text={token} />
      <p className={css.quiet}>{t.xxl.settings}</p>
      <pre className={css.settings} tabIndex={0}>{`xxl.job.admin.addresses=${new URL('xxl-job-admin', document.baseURI).href}\nxxl.job.accessToken=${token}`}</pre>
    </div>
  );
}
