import { useMutation, useQueryClient } from '@tanstack/react-query';
import { LogIn, LogOut, Trash2 } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { type Worker, workersQuery } from './queries';

/** How one looks at a worker without the console. */
export function lookAt(worker: Worker): Command {
  return { cli: ['worker', 'get', worker.name], http: { method: 'GET', path: fillPath('/api/v1/workers/{worker}', { worker: worker.id }) } };
}

/** How one has a worker take nothing new, or runs again, without the console. */
export function drainCommand(worker: Worker): Command {
  const path = { worker: worker.id };
  return {
    cli: ['worker', worker.draining ? 'undrain' : 'drain', worker.name],
    http: { method: 'POST', path: worker.draining ? fillPath('/api/v1/workers/{worker}/undrain', path) : fillPath('/api/v1/workers/{worker}/drain', path), body: {} },
  };
}

/** Returns what asks whether a worker is to drain, and has it drain; one that drains takes runs again at once. */
export function useDrain(): { drain: (worker: Worker) => Promise<void>; busy: boolean } {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ worker, drain, reason }: { worker: Worker; drain: boolean; reason: string }) => {
      const params = { path: { worker: worker.id }, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return drain ? ask(api.POST('/api/v1/workers/{worker}/drain', { params, body })) : ask(api.POST('/api/v1/workers/{worker}/undrain', { params, body }));
    },
    onSuccess: (now, { worker, drain }) => {
      client.setQueryData(workersQuery.queryKey, (known) => known?.map((one) => (one.id === worker.id ? now : one)));
      void client.invalidateQueries({ queryKey: workersQuery.queryKey });
      toast({ tone: 'good', text: drain ? t.workers.drains(worker.name) : t.workers.undrained(worker.name), ...(drain ? { undo: () => change.mutate({ worker, drain: false, reason: '' }) } : {}) });
    },
    onError: (error, { drain }) => toastError(drain ? t.workers.drain : t.workers.undrain, error),
  });
  const drain = async (worker: Worker) => {
    if (worker.draining) return change.mutate({ worker, drain: false, reason: '' });
    const yes = await confirm({ title: t.workers.drainTitle(worker.name), text: t.workers.drainText(formats.number(worker.running)), action: t.workers.drain, reason: true, command: drainCommand(worker) });
    if (yes) change.mutate({ worker, drain: true, reason: yes.reason });
  };
  return { drain, busy: change.isPending };
}

/** Returns what asks whether a worker is to be forgotten, and forgets it. */
export function useForget(): { forget: (worker: Worker) => Promise<void>; busy: boolean } {
  const t = useT();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (worker: string) => ask(api.DELETE('/api/v1/workers/{worker}', { params: { path: { worker } } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: workersQuery.queryKey });
      toast({ tone: 'good', text: t.workers.forgotten });
    },
    onError: (error) => toastError(t.workers.forget, error),
  });
  const forget = async (worker: Worker) => {
    const yes = await confirm({ title: t.workers.forgetTitle(worker.name), text: t.workers.forgetText, action: t.workers.forget, tone: 'danger', command: forgetCommand(worker) });
    if (yes) remove.mutate(worker.id);
  };
  return { forget, busy: remove.isPending };
}

function forgetCommand(worker: Worker): Command {
  return { http: { method: 'DELETE', path: fillPath('/api/v1/workers/{worker}', { worker: worker.id }) } };
}

/** What can be done to a worker. */
export function useWorkerActions(worker: Worker | undefined): Action[] {
  const t = useT();
  const { forget, busy } = useForget();
  const { drain, busy: draining } = useDrain();
  if (!worker) return [];
  return [
    { id: 'drain', label: worker.draining ? t.workers.undrain : t.workers.drain, icon: worker.draining ? LogIn : LogOut, busy: draining, command: drainCommand(worker), run: () => void drain(worker) },
    { id: 'forget', label: t.workers.forget, icon: Trash2, tone: 'danger', busy, command: forgetCommand(worker), run: () => void forget(worker) },
  ];
}
