import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Pause, Pencil, Play, PlayCircle, Rewind, Trash2 } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { type Job, jobQuery } from './queries';

/** What can be done to a job, each also as a command. A page of a job that is gone is left for the list, unless `onGone` does something else. */
export function useJobActions(job: Job, onRun: () => void, onGone?: () => void): Action[] {
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { namespace: job.namespace, job: job.name };
  const key = jobQuery(job.namespace, job.name).queryKey;
  const cli = (...words: string[]) => ['job', ...words, job.name, ...(job.namespace === 'default' ? [] : ['-n', job.namespace])];

  const setPaused = useMutation({
    mutationFn: ({ paused, reason }: { paused: boolean; reason: string }) => {
      const params = { path, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return paused
        ? ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/pause', { params, body }))
        : ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/resume', { params, body }));
    },
    onMutate: ({ paused }) => {
      const before = client.getQueryData(key);
      if (before) client.setQueryData(key, { ...before, paused });
      return before;
    },
    onSuccess: (_, { paused }) => {
      void client.invalidateQueries({ queryKey: key });
      toast({ tone: 'good', text: paused ? t.jobDetail.pausedDone : t.jobDetail.resumedDone, undo: () => setPaused.mutate({ paused: !paused, reason: '' }) });
    },
    onError: (error, { paused }, before) => {
      if (before) client.setQueryData(key, before);
      toastError(paused ? t.jobDetail.pause : t.jobDetail.resume, error);
    },
  });

  const remove = useMutation({
    mutationFn: () => ask(api.DELETE('/api/v1/namespaces/{namespace}/jobs/{job}', { params: { path } })),
    onSuccess: () => {
      toast({ tone: 'good', text: t.jobDetail.removed });
      if (onGone) onGone();
      else void navigate({ to: '/ns/$ns/jobs', params: { ns: job.namespace } });
    },
    onError: (error) => toastError(t.jobDetail.remove, error),
  });

  return [
    { id: 'run', label: t.jobDetail.runNow, icon: Play, tone: 'primary', keys: 'r', command: { cli: ['run', 'start', ...cli().slice(1)], http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/run', path), body: {} } }, run: onRun },
    job.paused
      ? { id: 'resume', label: t.jobDetail.resume, icon: PlayCircle, keys: 's', busy: setPaused.isPending, command: { cli: cli('resume'), http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/resume', path), body: {} } }, run: () => setPaused.mutate({ paused: false, reason: '' }) }
      : {
          id: 'pause',
          label: t.jobDetail.pause,
          icon: Pause,
          keys: 's',
          busy: setPaused.isPending,
          command: { cli: cli('pause'), http: { method: 'POST', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/pause', path), body: {} } },
          run: () => void confirm({ title: t.jobDetail.pauseTitle(job.name), text: t.jobDetail.pauseText, action: t.jobDetail.pause, reason: true }).then((yes) => yes && setPaused.mutate({ paused: true, reason: yes.reason })),
        },
    { id: 'backfill', label: t.backfills.create, icon: Rewind, command: 'local', hidden: true, keys: 'b', run: () => void navigate({ to: '/ns/$ns/backfills/new', params: { ns: job.namespace }, search: { job: job.name } }) },
    { id: 'edit', label: t.jobDetail.edit, icon: Pencil, command: 'local', keys: 'e', run: () => void navigate({ to: '/ns/$ns/jobs/$job/edit', params: { ns: job.namespace, job: job.name } }) },
    {
      id: 'remove',
      label: t.jobDetail.remove,
      icon: Trash2,
      tone: 'danger',
      hidden: true,
      command: { cli: cli('delete'), http: { method: 'DELETE', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}', path) } },
      run: () => void confirm({ title: t.jobDetail.removeTitle(job.name), text: t.jobDetail.removeText(job.active_runs), action: t.jobDetail.remove, tone: 'danger', typed: job.name }).then((yes) => yes && remove.mutate()),
    },
  ];
}
