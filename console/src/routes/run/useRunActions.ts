import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ban, CirclePause, CirclePlay, PencilLine, RotateCcw } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { isFinal } from '@/states';
import { type Run, runQuery } from './queries';

/** What can be done to a run, each also as a command. `chooseTasks` asks which tasks of a workflow run again, `askInput` with which input. */
export function useRunActions(run: Run, chooseTasks: () => void, askInput: () => void): Action[] {
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { run: run.id };
  const over = isFinal(run.state);
  // A run that is not over is in the way of the next one.
  const rerunBody = over ? {} : { cancel_running: true };
  const rerun = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/runs/{run}/rerun', { params: { path, header: { 'Idempotency-Key': idempotencyKey() } }, body: rerunBody })),
    onSuccess: (next) => {
      toast({ tone: 'good', text: t.run.rerunDone });
      void navigate({ to: '/ns/$ns/runs/$run', params: { ns: next.namespace, run: next.id } });
    },
    onError: (error) => toastError(t.run.rerun, error),
  });
  const cancel = useMutation({
    mutationFn: (reason: string) =>
      ask(api.POST('/api/v1/runs/{run}/cancel', { params: { path, header: { 'Idempotency-Key': idempotencyKey() } }, body: reason === '' ? {} : { reason } })),
    onSuccess: (next) => {
      client.setQueryData(runQuery(run.id).queryKey, next);
      toast({ tone: 'good', text: t.run.cancelDone });
    },
    onError: (error) => toastError(t.run.cancel, error),
  });
  const setPaused = useMutation({
    mutationFn: ({ verb, reason }: { verb: 'pause' | 'resume'; reason: string }) => ask(api.POST(`/api/v1/runs/{run}/${verb}`, { params: { path, header: { 'Idempotency-Key': idempotencyKey() } }, body: reason === '' ? {} : { reason } })),
    onSuccess: (next) => client.setQueryData(runQuery(run.id).queryKey, next),
    onError: (error, { verb }) => toastError(verb === 'pause' ? t.jobDetail.pause : t.jobDetail.resume, error),
  });
  const verb = run.paused ? 'resume' : 'pause';
  const pause: Action = {
    id: verb,
    label: run.paused ? t.jobDetail.resume : t.jobDetail.pause,
    icon: run.paused ? CirclePlay : CirclePause,
    keys: 's',
    busy: setPaused.isPending,
    command: { http: { method: 'POST', path: fillPath(`/api/v1/runs/{run}/${verb}`, path), body: {} } },
    run: () => (run.paused ? setPaused.mutate({ verb, reason: '' }) : void confirm({ title: t.workflow.pauseTitle, text: t.workflow.pauseText, action: t.jobDetail.pause, reason: true }).then((yes) => yes && setPaused.mutate({ verb, reason: yes.reason }))),
  };
  const rerunCommand: Command = { cli: ['run', 'rerun', run.id, ...(over ? [] : ['--cancel-running'])], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/rerun', path), body: rerunBody } };
  const cancelCommand: Command = { cli: ['run', 'cancel', run.id], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/cancel', path), body: {} } };
  return [
    { id: 'rerun', label: t.run.rerun, icon: RotateCcw, keys: 'shift-r', command: rerunCommand, busy: rerun.isPending, tone: over ? 'primary' : 'plain', run: () => run.tasks ? chooseTasks() : void confirm({ title: t.run.rerun, text: over ? t.run.rerunText : t.run.rerunLiveText, action: t.run.rerun }).then((yes) => yes && rerun.mutate()) },
    // Tasks of workflows and of batches are started by others.
    ...(run.parent ? [] : [{ id: 'changes', label: t.run.withChanges, icon: PencilLine, hidden: true, command: 'local', run: askInput } satisfies Action]),
    ...(run.tasks && !over ? [pause] : []),
    {
      id: 'cancel',
      label: t.run.cancel,
      icon: Ban,
      keys: 'shift-c',
      tone: over ? 'plain' : 'danger',
      command: cancelCommand,
      busy: cancel.isPending,
      disabledReason: over ? t.run.isFinal : undefined,
      run: () => void confirm({ title: t.run.cancelTitle, text: t.run.cancelText, action: t.run.cancel, tone: 'danger', reason: true }).then((yes) => yes && cancel.mutate(yes.reason)),
    },
  ];
}
