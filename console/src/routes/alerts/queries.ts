import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type OpenAlert = Schemas['OpenAlert'];
export type Channel = Schemas['AlertChannel'];
export type ChannelSpec = Schemas['AlertChannelSpec'];
export type Rule = Schemas['AlertRule'];
export type RuleSpec = Schemas['AlertRuleSpec'];
export type AlertSpec = Schemas['AlertSpec'];
export type Secret = Schemas['AlertSecret'];
export type Silence = Schemas['AlertSilence'];
export type Delivery = Schemas['AlertDelivery'];

/** What is wrong now, in one namespace or with `-` in all. */
export const openAlertsQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['alerts', 'open', namespace],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/alerts', { params: { query: namespace === '-' ? {} : { namespace } }, signal })),
    meta: { topics: ['stats'], every: 5000 },
  });

export const channelsQuery = queryOptions({
  queryKey: ['alerts', 'channels'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/alert-channels', { signal })),
  meta: { topics: ['stats'], every: 5000 },
});

export const rulesQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/alert-rules', { signal })),
  meta: { topics: ['stats'], every: 5000 },
});

export const silencesQuery = queryOptions({
  queryKey: ['alerts', 'silences'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/alert-silences', { signal })),
  meta: { topics: ['stats'], every: 5000 },
});

/** The newest messages, to one channel or to all. */
export const deliveriesQuery = (channel: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ['alerts', 'deliveries', channel ?? '', limit],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/alert-deliveries', { params: { query: { limit, ...(channel ? { channel } : {}) } }, signal })),
    meta: { topics: ['stats'], every: 2000 },
    placeholderData: keepPreviousData,
  });
