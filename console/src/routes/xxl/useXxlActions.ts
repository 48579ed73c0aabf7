import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import { confirm } from '@/components/confirm';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { removeApp } from './commands';

/** Asks for the apps and executors anew. */
export function useRenewXxl(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => Promise.all(['xxl-apps', 'xxl-instances'].map((key) => client.invalidateQueries({ queryKey: [key] })));
}

export function useXxlActions() {
  const t = useT();
  const renew = useRenewXxl();
  const remove = useMutation({
    mutationFn: (app: string) => ask(api.DELETE('/api/v1/xxl/apps/{app}', { params: { path: { app } } })),
    onSuccess: () => {
      toast({ tone: 'good', text: t.xxl.removed });
      return renew();
    },
    onError: (error) => toastError(t.xxl.remove, error),
  });
  return {
    remove: (app: string) => void confirm({ title: t.xxl.removeTitle(app), text: t.xxl.removeText, action: t.xxl.remove, tone: 'danger', typed: app, command: removeApp(app) }).then((yes) => yes && remove.mutate(app)),
  };
}
