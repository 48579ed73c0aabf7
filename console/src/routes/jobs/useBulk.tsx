import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { confirm } from '@/components/confirm';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { type BulkResult, forEach } from './bulk';

export type BulkAction = 'run' | 'pause' | 'resume' | 'remove';

/** More than this many are asked about first. */
const ASK_ABOVE = 20;
const NAMES_SHOWN = 8;

/** Acts on many jobs, named `namespace/job`: asks where it matters, shows how far it is, says what failed, and takes a pause back. */
export function useBulk(): { act: (action: BulkAction, names: readonly string[]) => Promise<BulkResult | undefined>; progress: string | undefined } {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const [progress, setProgress] = useState<string>();
  const counted = (n: number) => t.jobs.jobCount(n, formats.number(n));

  const one = (action: BulkAction, key: string, reason: string | undefined): Promise<unknown> => {
    const [namespace = '', job = ''] = key.split('/');
    const path = { namespace, job };
    const body = reason ? { reason } : {};
    switch (action) {
      case 'run':
        return ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/run', { params: { path }, body }));
      case 'pause':
        return ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/pause', { params: { path }, body }));
      case 'resume':
        return ask(api.POST('/api/v1/namespaces/{namespace}/jobs/{job}/resume', { params: { path }, body }));
      case 'remove':
        return ask(api.DELETE('/api/v1/namespaces/{namespace}/jobs/{job}', { params: { path } }));
    }
  };

  const perform = async (action: BulkAction, names: readonly string[], reason: string | undefined, isUndo: boolean) => {
    setProgress(t.jobs.working('0', formats.number(names.length)));
    const result = await forEach(names, (name) => one(action, name, reason), (finished) => setProgress(t.jobs.working(formats.number(finished), formats.number(names.length))));
    setProgress(undefined);
    void client.invalidateQueries({ queryKey: ['jobs'] });
    const said = { run: t.jobs.started, pause: t.jobs.paused, resume: t.jobs.resumed, remove: t.jobs.removed }[action];
    const opposite = action === 'pause' ? 'resume' : action === 'resume' ? 'pause' : undefined;
    if (result.done.length > 0) {
      toast({
        text: said(counted(result.done.length)),
        ...(opposite && !isUndo ? { undo: () => void perform(opposite, result.done, undefined, true) } : {}),
      });
    }
    if (result.failed.length > 0) {
      toast({
        tone: 'bad',
        text: (
          <>
            <strong>{t.jobs.partly(formats.number(result.failed.length))}</strong>
            {result.failed.slice(0, 5).map(({ name, error }) => (
              <div key={name}>
                <code>{name}</code> {error.message}
              </div>
            ))}
          </>
        ),
      });
    }
    return result;
  };

  const act = async (action: BulkAction, names: readonly string[]) => {
    const word = { run: t.jobs.run, pause: t.jobs.pause, resume: t.jobs.resume, remove: t.jobs.remove }[action];
    let reason: string | undefined;
    if (action === 'remove' || names.length > ASK_ABOVE) {
      const shown = names.slice(0, NAMES_SHOWN);
      const answer = await confirm({
        title: t.jobs.confirmTitle(word, counted(names.length)),
        text: (
          <>
            {action === 'remove' && <p>{t.jobs.confirmRemove}</p>}
            <p>
              {shown.map((name) => (
                <code key={name}>{name} </code>
              ))}
              {names.length > shown.length && t.jobs.andMore(formats.number(names.length - shown.length))}
            </p>
          </>
        ),
        action: word,
        tone: action === 'remove' ? 'danger' : 'primary',
        ...(action === 'remove' ? { typed: names.length === 1 ? (names[0]?.split('/')[1] ?? '') : String(names.length) } : {}),
        reason: action === 'pause',
      });
      if (!answer) return undefined;
      reason = answer.reason;
    }
    return perform(action, names, reason, false);
  };

  return { act, progress };
}
