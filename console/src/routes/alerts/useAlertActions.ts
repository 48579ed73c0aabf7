import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from '@/api/client';
import { toast, toastError } from '@/components/toast';
import { useT } from '@/i18n';
import type { Channel, Rule } from './queries';

const tagOf = ({ version }: { version: number }) => ({ 'If-Match': `"${version}"` });

/** What can be done on the page of alerts beside saving. */
export function useAlertActions() {
  const t = useT();
  const client = useQueryClient();
  const renew = () => client.invalidateQueries({ queryKey: ['alerts'] });
  const header = () => ({ 'Idempotency-Key': idempotencyKey() });
  const done = (text: string) => {
    toast({ tone: 'good', text });
    return renew();
  };
  const test = useMutation({
    mutationFn: (channel: string) => ask(api.POST('/api/v1/alert-channels/{channel}/test', { params: { path: { channel }, header: header() } })),
    onSuccess: (delivery, channel) => {
      if (delivery.state === 'delivered') return done(t.alerts.tested(channel));
      toast({ tone: 'bad', text: t.alerts.testFailed(channel, delivery.error ? t.said.delivery(delivery.error) : delivery.state) });
      return renew();
    },
    onError: (error) => toastError(t.alerts.test, error),
  });
  const redeliver = useMutation({
    mutationFn: (delivery: string) => ask(api.POST('/api/v1/alert-deliveries/{delivery}/redeliver', { params: { path: { delivery }, header: header() } })),
    onSuccess: () => done(t.alerts.redelivered),
    onError: (error) => toastError(t.alerts.redeliver, error),
  });
  const removeChannel = useMutation({
    mutationFn: (channel: Channel) => ask(api.DELETE('/api/v1/alert-channels/{channel}', { params: { path: { channel: channel.name }, header: tagOf(channel) } })),
    onSuccess: () => done(t.alerts.removed),
    onError: (error) => toastError(t.alerts.remove, error),
  });
  const removeRule = useMutation({
    mutationFn: (rule: Rule) => ask(api.DELETE('/api/v1/alert-rules/{rule}', { params: { path: { rule: rule.name }, header: tagOf(rule) } })),
    onSuccess: () => done(t.alerts.removed),
    onError: (error) => toastError(t.alerts.remove, error),
  });
  const endSilence = useMutation({
    mutationFn: (silence: string) => ask(api.DELETE('/api/v1/alert-silences/{silence}', { params: { path: { silence } } })),
    onSuccess: () => done(t.alerts.silenceEnded),
    onError: (error) => toastError(t.alerts.endSilence, error),
  });
  return { test, redeliver, removeChannel: removeChannel.mutate, removeRule: removeRule.mutate, endSilence: endSilence.mutate };
}
