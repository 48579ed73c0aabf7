import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { api, ask } from '@/api/client';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { type Worker, workersQuery } from './queries';

/** How one looks at a worker without the console. */
export function lookAt(worker: Worker): Command {
  return { cli: ['worker', 'get', worker.name], http: { method: 'GET', path: fillPath('/api/v1/workers/{worker}', { worker: worker.id }) } };
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
  if (!worker) return [];
  return [{ id: 'forget', label: t.workers.forget, icon: Trash2, tone: 'danger', busy, command: forgetCommand(worker), run: () => void forget(worker) }];
}
