import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from '@/api/client';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import type { Run } from '../runs/queries';
import { type PlaceBody, dropCommand } from './order';

interface Order {
  /** Puts a run at an end of its queue; that can be taken back. */
  place: (run: Run, to: 'first' | 'last') => void;
  /** Cancels a run that waits, after a question. */
  drop: (run: Run) => Promise<void>;
}

/** What changes the order in which the runs of a queue leave. */
export function useOrder(queue: string): Order {
  const t = useT();
  const client = useQueryClient();
  const renew = () => {
    for (const key of ['queue-waiting', 'queue-changes']) void client.invalidateQueries({ queryKey: [key, queue] });
  };
  const params = (run: Run) => ({ path: { run: run.id }, header: { 'Idempotency-Key': idempotencyKey() } });
  const change = useMutation({
    mutationFn: ({ run, body }: { run: Run; body: PlaceBody }) => ask(api.POST('/api/v1/runs/{run}/place', { params: params(run), body })),
    onSuccess: (_, { run, body }) => {
      const back = { priority: run.priority };
      if (body.to) toast({ tone: 'good', text: t.queues.placed[body.to](run.job), undo: () => change.mutate({ run, body: back }) });
    },
    onError: (error) => toastError(t.queues.place, error),
    onSettled: renew,
  });
  const remove = useMutation({
    mutationFn: ({ run, reason }: { run: Run; reason: string }) => ask(api.POST('/api/v1/runs/{run}/drop', { params: params(run), body: reason === '' ? {} : { reason } })),
    onSuccess: (_, { run }) => void toast({ tone: 'good', text: t.queues.dropped(run.job) }),
    onError: (error) => toastError(t.queues.drop, error),
    onSettled: renew,
  });
  return {
    place: (run, to) => change.mutate({ run, body: { to } }),
    drop: async (run) => {
      const yes = await confirm({ title: t.queues.dropTitle(run.job), text: t.queues.dropText, action: t.queues.drop, tone: 'danger', reason: true, command: dropCommand(run.id) });
      if (yes) remove.mutate({ run, reason: yes.reason });
    },
  };
}
