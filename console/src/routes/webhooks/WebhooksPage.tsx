import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Play, Plus, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask, idempotencyKey } from '@/api/client';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { CommandLine } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Dialog } from '@/components/Dialog';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { StateGlyph } from '@/components/StateBadge';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { AddWebhook } from './AddWebhook';
import { Deliveries } from './Deliveries';
import { type Webhook, webhooksQuery } from './queries';
import { webhooksRoute } from './routes';
import css from './Webhooks.module.css';

export function WebhooksPage() {
  const t = useT();
  const query = useQuery(webhooksQuery);
  const { name } = webhooksRoute.useSearch();
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const act = useWebhookActions(setSecret);
  const columns: Column<Webhook>[] = [
    { id: 'name', header: t.webhooks.name, cell: (hook) => <strong>{hook.name}</strong> },
    { id: 'url', header: t.webhooks.url, cell: (hook) => <code>{hook.url}</code> },
    { id: 'events', header: t.webhooks.events, wide: true, cell: (hook) => hook.events.join(', ') },
    { id: 'scope', header: t.webhooks.scope, wide: true, cell: (hook) => [hook.namespace, hook.job].filter(Boolean).join('/') || t.webhooks.everything },
    { id: 'state', header: t.webhooks.state, width: '15rem', cell: (hook) => <HookState hook={hook} /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (hook) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={Send} onSelect={() => act.test(hook.name)}>
            {t.webhooks.test}
          </MenuItem>
          {hook.disabled_at && (
            <MenuItem icon={Play} onSelect={() => act.resume(hook.name)}>
              {t.webhooks.resume}
            </MenuItem>
          )}
          <MenuItem icon={KeyRound} onSelect={() => void confirm({ title: t.webhooks.rotateTitle(hook.name), text: t.webhooks.rotateText, action: t.webhooks.rotate, command: { cli: ['webhook', 'rotate', hook.name], http: { method: 'POST', path: fillPath('/api/v1/webhooks/{webhook}/secret', { webhook: hook.name }), body: {} } } }).then((yes) => yes && act.rotate(hook.name))}>
            {t.webhooks.rotate}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => void confirm({ title: t.webhooks.removeTitle(hook.name), text: t.webhooks.removeText, action: t.webhooks.remove, tone: 'danger', typed: hook.name, command: { cli: ['webhook', 'delete', hook.name], http: { method: 'DELETE', path: fillPath('/api/v1/webhooks/{webhook}', { webhook: hook.name }) } } }).then((yes) => yes && act.remove(hook.name))}>
            {t.webhooks.remove}
          </MenuItem>
          <MenuLine />
          <CopyItems
            command={
              hook.disabled_at
                ? { cli: ['webhook', 'resume', hook.name], http: { method: 'POST', path: fillPath('/api/v1/webhooks/{webhook}/resume', { webhook: hook.name }) } }
                : { cli: ['webhook', 'test', hook.name], http: { method: 'POST', path: fillPath('/api/v1/webhooks/{webhook}/test', { webhook: hook.name }) } }
            }
          />
        </Menu>
      ),
    },
  ];
  return (
    <Page
      title={t.shell.webhooks}
      actions={
        <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
          {t.webhooks.add}
        </Button>
      }
    >
      <Loaded query={query} what={t.webhooks.what}>
        {(hooks) => (
          <>
            <DataTable
              label={t.shell.webhooks}
              columns={columns}
              rows={hooks}
              rowKey={(hook) => hook.name}
              rowName={(hook) => hook.name}
              onOpen={(hook) => void navigate({ to: '.', search: { name: hook.name }, replace: true })}
              empty={<NothingYet what={t.webhooks.what}>{t.webhooks.emptyText}</NothingYet>}
            />
            {(name ?? hooks[0]?.name) && <Deliveries webhook={name ?? hooks[0]?.name ?? ''} />}
          </>
        )}
      </Loaded>
      {adding && <AddWebhook onClose={() => setAdding(false)} />}
      {secret && (
        <Dialog open onClose={() => setSecret(undefined)} title={t.webhooks.rotate} description={t.webhooks.secretOnce}>
          <CommandLine text={secret} />
        </Dialog>
      )}
    </Page>
  );
}

function HookState({ hook }: { hook: Webhook }) {
  const t = useT();
  const [state, word, since] = hook.disabled_at ? (['cancelled', t.webhooks.resting, hook.disabled_at] as const) : hook.failing_since ? (['failed', t.webhooks.failing, hook.failing_since] as const) : (['succeeded', t.webhooks.working, undefined] as const);
  return (
    <span className={css.state} title={hook.disabled_reason ?? undefined}>
      <StateGlyph state={state} /> {word}
      {since && (
        <span className={css.since}>
          {t.webhooks.since} <Instant at={since} />
        </span>
      )}
    </span>
  );
}

function useWebhookActions(onSecret: (secret: string) => void) {
  const t = useT();
  const client = useQueryClient();
  const header = () => ({ 'Idempotency-Key': idempotencyKey() });
  const renew = () => void client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const test = useMutation({
    mutationFn: (webhook: string) => ask(api.POST('/api/v1/webhooks/{webhook}/test', { params: { path: { webhook }, header: header() } })),
    onSuccess: (_, webhook) => {
      void client.invalidateQueries({ queryKey: ['deliveries', webhook] });
      toast({ tone: 'good', text: t.webhooks.testDone });
    },
    onError: (error) => toastError(t.webhooks.test, error),
  });
  const resume = useMutation({
    mutationFn: (webhook: string) => ask(api.POST('/api/v1/webhooks/{webhook}/resume', { params: { path: { webhook }, header: header() } })),
    onSuccess: () => {
      renew();
      toast({ tone: 'good', text: t.webhooks.resumeDone });
    },
    onError: (error) => toastError(t.webhooks.resume, error),
  });
  const rotate = useMutation({
    mutationFn: (webhook: string) => ask(api.POST('/api/v1/webhooks/{webhook}/secret', { params: { path: { webhook }, header: header() } })),
    onSuccess: (hook) => {
      renew();
      if (hook.secret) onSecret(hook.secret);
    },
    onError: (error) => toastError(t.webhooks.rotate, error),
  });
  const remove = useMutation({
    mutationFn: (webhook: string) => ask(api.DELETE('/api/v1/webhooks/{webhook}', { params: { path: { webhook } } })),
    onSuccess: () => {
      renew();
      toast({ tone: 'good', text: t.webhooks.removed });
    },
    onError: (error) => toastError(t.webhooks.remove, error),
  });
  return { test: test.mutate, resume: resume.mutate, rotate: rotate.mutate, remove: remove.mutate };
}
