import { raw } from '@/api/client';
import { serverNow } from '@/lib/clock';

export interface Misfire {
  id: string;
  namespace: string;
  job: string;
  trigger?: string;
  first: string;
  last: string;
  count: number;
  outcome: string;
  cause: string;
  policy: string;
  recorded_at: string;
}

export interface Outage {
  from: string;
  to: string;
  due: number;
  caught_up: number;
  skipped: number;
}

export interface Misfires {
  items: Misfire[];
  next_cursor?: string;
  summary?: { missed: number; suppressed: number; outages: Outage[]; complete: boolean };
}

const HOUR_MS = 3_600_000;
export const rangeMs = { '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const;

export interface MisfireSearch {
  ns: string;
  range: keyof typeof rangeMs;
  cause: string | undefined;
  job: string | undefined;
}

export function fetchMisfires(search: MisfireSearch, cursor: string | undefined, signal: AbortSignal): Promise<Misfires> {
  const params = new URLSearchParams({ from: new Date(serverNow() - rangeMs[search.range]).toISOString(), limit: '100' });
  if (search.ns !== '-') params.set('namespace', search.ns);
  for (const key of ['cause', 'job'] as const) if (search[key]) params.set(key, search[key]);
  if (cursor) params.set('cursor', cursor);
  return raw<Misfires>('GET', `/api/v1/misfires?${params}`, undefined, signal);
}
