import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, CircleStop, Play, Power, Square, StepForward } from 'lucide-react';
import type { Action } from '@/components/ActionBar';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { isStarted } from './model';
import { type Flow, type FlowAction, type FlowComponent, FLOW, changeFlow } from './queries';

const icons = { start: Play, stop: Square, run_once: StepForward, terminate: CircleStop, disable: Ban, enable: Power };

/** What can be asked of a flow and of its components: the same in buttons and in menus. */
export function useFlowActions(flow: Pick<Flow, 'namespace' | 'name'>) {
  const t = useT();
  const client = useQueryClient();
  const { namespace, name } = flow;
  const change = useMutation({
    mutationFn: ({ action, names }: { action: FlowAction; names?: string[] | undefined }) => changeFlow(namespace, name, action, names),
    onSuccess: (next, { action }) => {
      client.setQueryData(['flow', namespace, name], next);
      void client.invalidateQueries({ queryKey: ['flows'] });
      toast({ tone: 'good', text: t.flows.done[action] });
    },
    onError: (error, { action }) => toastError(t.flows.actions[action], error),
  });

  const make = (action: FlowAction, names: string[] | undefined, more: Partial<Action> = {}): Action => ({
    id: action,
    label: t.flows.actions[action],
    icon: icons[action],
    busy: change.isPending && change.variables.action === action && change.variables.names?.join() === names?.join(),
    command: {
      cli: ['flow', action.replace('_', '-'), name, ...(names ?? []), ...(namespace === 'default' ? [] : ['-n', namespace])],
      http: { method: 'POST', path: fillPath(`${FLOW}/components`, { namespace, flow: name }), body: { action, ...(names ? { components: names } : {}) } },
    },
    run: () => {
      if (action !== 'terminate') return change.mutate({ action, names });
      void confirm({ title: t.flows.terminateTitle(names?.join(', ') ?? name), text: t.flows.terminateText, action: t.flows.actions.terminate, tone: 'danger' }).then((yes) => yes && change.mutate({ action, names }));
    },
    ...more,
  });

  /** What can be done with a component as it stands; what cannot says why. */
  const ofComponent = ({ name: component, state, active }: FlowComponent): Action[] => {
    const names = [component];
    const isOff = state === 'disabled';
    const runs = isStarted({ state });
    const whenOff = isOff ? t.flows.isDisabled : undefined;
    return [
      runs ? make('stop', names) : make('start', names, { tone: 'primary', disabledReason: whenOff }),
      make('run_once', names, { disabledReason: whenOff ?? (runs ? t.flows.isRunning : undefined) }),
      make('terminate', names, { tone: 'danger', disabledReason: runs ? t.flows.stopFirst : active === 0 ? t.flows.nothingActive : undefined }),
      isOff ? make('enable', names) : make('disable', names, { disabledReason: runs ? t.flows.stopFirst : undefined }),
    ];
  };
  return { make, ofComponent };
}
