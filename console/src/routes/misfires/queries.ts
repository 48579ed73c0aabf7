import { raw } from '@/api/client';
import type { components } from '@/api/schema';
import { serverNow } from '@/lib/clock';

export type Misfire = components['schemas']['MisfireItem'];
export type Misfires = components['schemas']['Misfires'];

const HOUR_MS = 3_600_000;
export const rangeMs = { '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const;

export interface MisfireSearch {
  ns: string;
  range: keyof typeof rangeMs;
  cause: string | undefined;
  policy?: string | undefined;
  outcome?: string | undefined;
  job: string | undefined;
}

export function fetchMisfires(search: MisfireSearch, cursor: string | undefined, signal: AbortSignal): Promise<Misfires> {
  const params = new URLSearchParams({ from: new Date(serverNow() - rangeMs[search.range]).toISOString(), limit: '100' });
  if (search.ns !== '-') params.set('namespace', search.ns);
  for (const key of ['cause', 'policy', 'outcome', 'job'] as const) if (search[key]) params.set(key, search[key]);
  if (cursor) params.set('cursor', cursor);
  return raw<Misfires>('GET', `/api/v1/misfires?${params}`, undefined, signal);
}
