import { useFormats, useT } from '@/i18n';
import { type OperationAction, type OperationSpec, beginOperation } from '@/api/operations';
import { confirm } from '@/components/confirm';
import { toastError } from '@/components/toast';
import { followOperation } from '../operations/OperationNote';
import { type Target, selectorOf } from './selection';

/** More than this many are asked about first. */
const ASK_ABOVE = 20;
const NAMES_SHOWN = 8;

export interface Bulk {
  action: OperationAction;
  targets: readonly Target[];
  /** How many jobs that are, in words. */
  count: string;
  isMany: boolean;
  labels?: Pick<OperationSpec, 'add_labels' | 'remove_labels'>;
}

const opposites: Partial<Record<OperationAction, OperationAction>> = { pause: 'resume', resume: 'pause' };

/** Acts on many jobs by operations of the server: asks where it matters, follows them, and takes a pause back. Tells whether it has begun. */
export function useBulk(): (bulk: Bulk) => Promise<boolean> {
  const t = useT();
  const formats = useFormats();

  const begin = async ({ action, targets, labels }: Pick<Bulk, 'action' | 'targets' | 'labels'>, reason: string | undefined, isUndo: boolean) => {
    for (const target of targets) {
      try {
        const operation = await beginOperation({ action, selector: selectorOf(target), ...labels, ...(reason ? { reason } : {}) });
        const opposite = opposites[action];
        // What a query finds differs by then: only jobs by name can be taken back.
        const undo = opposite && target.names && !isUndo ? () => void begin({ action: opposite, targets: [target] }, undefined, true) : undefined;
        followOperation({ operation, undo });
      } catch (error) {
        toastError(t.errors.action(t.operations.actions[action]), error);
        return false;
      }
    }
    return true;
  };

  return async (bulk) => {
    const { action, targets, count, isMany } = bulk;
    const word = t.operations.actions[action];
    if (action !== 'delete' && action !== 'cancel' && !isMany) return begin(bulk, undefined, false);
    const names = targets.flatMap((target) => target.names ?? []);
    const byQuery = targets.find((target) => target.names === undefined);
    const shown = names.slice(0, NAMES_SHOWN);
    const answer = await confirm({
      title: t.jobs.confirmTitle(word, count),
      text: (
        <>
          {action === 'delete' && <p>{t.jobs.confirmRemove}</p>}
          {byQuery ? (
            <p>{t.jobs.byQuery(byQuery.q || t.common.all)}</p>
          ) : (
            <p>
              {shown.map((name) => (
                <code key={name}>{name} </code>
              ))}
              {names.length > shown.length && t.jobs.andMore(formats.number(names.length - shown.length))}
            </p>
          )}
        </>
      ),
      action: word,
      tone: action === 'delete' || action === 'cancel' ? 'danger' : 'primary',
      ...(action === 'delete' ? { typed: names.length === 1 ? (names[0] ?? '') : byQuery ? byQuery.namespace : String(names.length) } : {}),
      reason: true,
    });
    return answer ? begin(bulk, answer.reason, false) : false;
  };
}

export function isMany(count: number): boolean {
  return count > ASK_ABOVE;
}
