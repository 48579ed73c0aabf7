import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CirclePause, Pause, PlayCircle } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { Instant } from '@/components/Instant';
import { toast, toastError } from '@/components/toast';
import { Who } from '@/components/Who';
import { CopyMore } from '@/components/ActionBar';
import { useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import css from './Job.module.css';
import { type Trigger, jobWhyQuery, triggersQuery } from './queries';

/** Pauses one trigger of a job, or ends its pause. The others go on. */
export function TriggerPause({ trigger }: { trigger: Trigger }) {
  const t = useT();
  const client = useQueryClient();
  const { namespace, job, name, paused } = trigger;
  const path = { namespace, job, trigger: name };
  const change = useMutation({
    mutationFn: (reason: string) => {
      const params = { path, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return paused
        ? ask(api.POST('/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/resume', { params, body }))
        : ask(api.POST('/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/pause', { params, body }));
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: triggersQuery(namespace, job).queryKey });
      void client.invalidateQueries({ queryKey: jobWhyQuery(namespace, job).queryKey });
      toast({ tone: 'good', text: paused ? t.jobDetail.resumedDone : t.jobDetail.pausedDone });
    },
    onError: (error) => toastError(paused ? t.jobDetail.resume : t.jobDetail.pause, error),
  });
  const named = `${namespace}/${job}/${name}`;
  const command: Command = paused
    ? { cli: ['trigger', 'resume', named], http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/resume', path), body: {} } }
    : { cli: ['trigger', 'pause', named], http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/pause', path), body: {} } };
  const press = async () => {
    if (paused) return change.mutate('');
    const yes = await confirm({ title: t.jobDetail.pauseTitle(name), text: t.jobDetail.pauseTriggerText, action: t.jobDetail.pause, reason: true });
    if (yes) change.mutate(yes.reason);
  };
  return (
    <span className={css.triggerActs}>
      <Button size="s" icon={paused ? PlayCircle : Pause} busy={change.isPending} aria-label={`${paused ? t.jobDetail.resume : t.jobDetail.pause}: ${name}`} onClick={() => void press()}>
        {paused ? t.jobDetail.resume : t.jobDetail.pause}
      </Button>
      <CopyMore of={name} command={command} />
    </span>
  );
}

/** That a trigger is paused: why, by whom and since when. */
export function PausedTrigger({ trigger }: { trigger: Trigger }) {
  const t = useT();
  if (!trigger.paused) return null;
  return (
    <p className={css.pausedNote}>
      <CirclePause size={15} aria-hidden="true" />
      <span>
        {trigger.pause_reason ? `${t.jobDetail.pausedBecause} ${trigger.pause_reason}` : t.jobDetail.pausedTrigger}{' '}
        <span className={css.quiet}>
          {trigger.paused_by && (
            <>
              {t.jobDetail.pausedBy} <Who by={trigger.paused_by} />{' '}
            </>
          )}
          {trigger.paused_at && <Instant at={trigger.paused_at} relative />}
        </span>
      </span>
    </p>
  );
}
