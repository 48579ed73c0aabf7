import { useMutation, useQueryClient } from '@tanstack/react-query';
import { LogIn, LogOut } from 'lucide-react';
import { api, ask, idempotencyKey } from '@/api/client';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { type Command, fillPath } from '@/lib/commands';
import { type Cluster, type Node, clusterQuery } from './queries';

/** How one has a node drain, or take part again, without the console. */
export function drainCommand(node: Node): Command {
  return {
    cli: ['cluster', node.drain_asked ? 'undrain' : 'drain', node.name],
    http: { method: 'POST', path: node.drain_asked ? fillPath('/api/v1/cluster/nodes/{node}/undrain', { node: node.name }) : fillPath('/api/v1/cluster/nodes/{node}/drain', { node: node.name }), body: {} },
  };
}

/** Returns what asks whether a node is to drain, and has it drain; one that was asked to takes part again at once. */
export function useDrain(cluster: Cluster) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ node, drain, reason }: { node: string; drain: boolean; reason: string }) => {
      const params = { path: { node }, header: { 'Idempotency-Key': idempotencyKey() } };
      const body = reason === '' ? {} : { reason };
      return drain ? ask(api.POST('/api/v1/cluster/nodes/{node}/drain', { params, body })) : ask(api.POST('/api/v1/cluster/nodes/{node}/undrain', { params, body }));
    },
    onSuccess: (_, { drain }) => {
      void client.invalidateQueries({ queryKey: clusterQuery.queryKey });
      toast({ tone: 'good', text: drain ? t.cluster.drained : t.cluster.undrained });
    },
    onError: (error, { drain }) => toastError(drain ? t.cluster.drain : t.cluster.undrain, error),
  });
  const active = cluster.nodes.filter((node) => node.state === 'active').length;
  return {
    busy: change.isPending,
    /** Why a node cannot drain. */
    blocked: (node: Node) => (!node.drain_asked && node.state === 'active' && active <= 1 ? t.cluster.lastNode : undefined),
    drain: async (node: Node) => {
      if (node.drain_asked) return change.mutate({ node: node.id, drain: false, reason: '' });
      const text = t.cluster.drainText(formats.number(node.shards), formats.number(node.slots_used ?? 0));
      const yes = await confirm({ title: t.cluster.drainTitle(node.name), text, action: t.cluster.drain, tone: 'danger', reason: true, command: drainCommand(node) });
      if (yes) change.mutate({ node: node.id, drain: true, reason: yes.reason });
    },
  };
}

/** What can be done to a node. */
export function useNodeActions(cluster: Cluster, node: Node | undefined): Action[] {
  const t = useT();
  const { drain, blocked, busy } = useDrain(cluster);
  if (!node) return [];
  return [
    {
      id: 'drain',
      label: node.drain_asked ? t.cluster.undrain : t.cluster.drain,
      icon: node.drain_asked ? LogIn : LogOut,
      keys: 's',
      busy,
      disabledReason: blocked(node),
      command: drainCommand(node),
      run: () => void drain(node),
    },
  ];
}
