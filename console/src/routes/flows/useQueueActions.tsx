import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask, raw } from '@/api/client';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { FLOW, type Flow, type FlowConnection } from './queries';

/** Removes items from a queue, or sends them back to where they came from. */
export function useQueueActions({ namespace, name }: Pick<Flow, 'namespace' | 'name'>) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const path = (connection: string) => ({ namespace, flow: name, connection });
  const renew = () => Promise.all(['flow', 'flow-queue'].map((key) => client.invalidateQueries({ queryKey: [key, namespace, name] })));
  const drop = useMutation({
    mutationFn: ({ connection, item }: { connection: string; item?: number | undefined }) => raw<{ items: number }>('DELETE', `${fillPath(`${FLOW}/queues/{connection}`, path(connection))}${item === undefined ? '' : `?item=${item}`}`),
    onSuccess: ({ items }) => {
      toast({ tone: 'good', text: t.flows.dropped(formats.number(items)) });
      return renew();
    },
    onError: (error) => toastError(t.flows.drop, error),
  });
  const replay = useMutation({
    mutationFn: ({ connection, item, to }: { connection: string; item?: number | undefined; to?: string | undefined }) =>
      ask(api.POST(`${FLOW}/queues/{connection}/replay`, { params: { path: path(connection) }, body: { ...(item === undefined ? {} : { items: [item] }), ...(to ? { to } : {}) } })),
    onSuccess: ({ items }) => {
      toast({ tone: 'good', text: t.flows.replayed(formats.number(items)) });
      return renew();
    },
    onError: (error) => toastError(t.flows.replay, error),
  });
  const ns = namespace === 'default' ? [] : ['-n', namespace];
  return {
    /** `onDone`: nobody is to ask for the item any more. */
    drop: (connection: string, item: number, onDone: () => void) => void confirm({ title: t.flows.dropTitle(String(item)), text: t.flows.dropText, action: t.flows.drop, tone: 'danger' }).then((yes) => yes && drop.mutateAsync({ connection, item }).then(onDone, () => undefined)),
    dropAll: (connection: FlowConnection) =>
      void confirm({ title: t.flows.dropAllTitle(connection.name), text: t.flows.dropAllText(formats.number(connection.items)), action: t.flows.dropAll, tone: 'danger', typed: connection.name }).then((yes) => yes && drop.mutate({ connection: connection.name })),
    replay: (connection: string, item: number | undefined, to: string | undefined) => replay.mutate({ connection, item, to }),
    commandOf: ({ name: connection }: Pick<FlowConnection, 'name'>): Command => ({ cli: ['flow', 'queue', 'list', name, connection, ...ns], http: { method: 'GET', path: fillPath(`${FLOW}/queues/{connection}`, path(connection)) } }),
  };
}
