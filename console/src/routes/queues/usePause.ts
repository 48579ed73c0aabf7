import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from '@/api/client';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import type { Command } from '@/lib/commands';
import { fillPath } from '@/lib/commands';
import { type Queue, queuesQuery } from './queries';

/** How the pause of a queue is begun or ended without the console. */
export function pauseCommand({ name, paused }: Queue): Command {
  return {
    cli: ['queue', paused ? 'resume' : 'pause', name],
    http: { method: 'POST', path: paused ? fillPath('/api/v1/queues/{queue}/resume', { queue: name }) : fillPath('/api/v1/queues/{queue}/pause', { queue: name }), body: {} },
  };
}

/** Returns what pauses a queue, after a question, or ends its pause. */
export function usePause(): (queue: Queue) => Promise<void> {
  const t = useT();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ queue, paused, reason }: { queue: string; paused: boolean; reason: string }) => {
      const params = { path: { queue }, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return paused ? ask(api.POST('/api/v1/queues/{queue}/pause', { params, body })) : ask(api.POST('/api/v1/queues/{queue}/resume', { params, body }));
    },
    onMutate: ({ queue, paused }) => {
      const before = client.getQueryData(queuesQuery.queryKey);
      client.setQueryData(queuesQuery.queryKey, before?.map((one) => (one.name === queue ? { ...one, paused } : one)));
      return before;
    },
    onSuccess: (_, { queue, paused }) => {
      void client.invalidateQueries({ queryKey: queuesQuery.queryKey });
      toast({ tone: 'good', text: paused ? t.queues.pausedDone : t.queues.resumedDone, undo: () => change.mutate({ queue, paused: !paused, reason: '' }) });
    },
    onError: (error, { paused }, before) => {
      client.setQueryData(queuesQuery.queryKey, before);
      toastError(paused ? t.queues.pause : t.queues.resume, error);
    },
  });
  return async (queue) => {
    if (queue.paused) return change.mutate({ queue: queue.name, paused: false, reason: '' });
    const yes = await confirm({ title: t.queues.pauseTitle(queue.name), text: t.queues.pauseText, action: t.queues.pause, reason: true });
    if (yes) change.mutate({ queue: queue.name, paused: true, reason: yes.reason });
  };
}
