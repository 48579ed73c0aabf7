import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import { Field, TextInput } from '@/components/Field';
import { FormDialog } from '@/components/FormDialog';
import { toast } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { moveCommand } from './limits';
import { type Queue, queuesQuery } from './queries';

/** Lets what waits in a queue wait in another one. */
export function MoveDialog({ queue, known, onClose }: { queue: Queue; known: readonly Queue[]; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const to = typed.trim();
  const others = known.filter(({ name }) => name !== queue.name && !name.startsWith('xxl.'));
  const move = useMutation({
    mutationFn: async () => {
      let moved = 0;
      for (let more = true; more; ) {
        const answer = await ask(api.POST('/api/v1/queues/{queue}/move', { params: { path: { queue: queue.name } }, body: { to } }));
        moved += answer.moved;
        more = answer.more;
      }
      return moved;
    },
    onSuccess: (moved) => {
      toast({ tone: 'good', text: t.queues.moved(formats.number(moved), to) });
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: queuesQuery.queryKey }),
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t.queues.moveTitle(queue.name)}
      description={t.queues.moveText(formats.number(queue.queued))}
      action={t.queues.move}
      ready={to !== '' && to !== queue.name}
      command={moveCommand(queue.name, to)}
      busy={move.isPending}
      onSubmit={() => move.mutate()}
      error={move.error}
    >
      <Field label={t.queues.moveTo} error={to === queue.name ? t.queues.moveSame : undefined}>
        {(field) => <TextInput {...field} list="queues-to-move-to" autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      <datalist id="queues-to-move-to">
        {others.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </FormDialog>
  );
}
