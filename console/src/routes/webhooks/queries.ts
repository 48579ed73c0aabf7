import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

export type Webhook = components['schemas']['Webhook'];
export type Delivery = components['schemas']['WebhookDelivery'];

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/webhooks', { signal })),
  meta: { topics: ['stats'], every: 5000 },
});

export const deliveriesQuery = (webhook: string) =>
  queryOptions({
    queryKey: ['deliveries', webhook],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/webhooks/{webhook}/deliveries', { params: { path: { webhook }, query: { limit: 100 } }, signal })),
    meta: { topics: ['stats'], every: 2000 },
  });
