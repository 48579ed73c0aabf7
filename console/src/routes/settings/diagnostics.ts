/** What goes into a report of a fault. Pure: names and addresses stay out of it. */
import type { components } from '@/api/schema';

type Info = components['schemas']['ServerInfo'];
type Cluster = components['schemas']['Cluster'];

export function diagnosticsOf(info: Info, cluster: Cluster | undefined, browser: { agent: string; zone: string; language: string; offsetMs: number; mode: string }): string {
  const nodes = (cluster?.nodes ?? []).map(({ state, shards, version, tzdata, clock_offset_ms, answer_ms, silent_ms, slots, slots_used }) => ({ state, shards, version, tzdata, clock_offset_ms, answer_ms, silent_ms, slots, slots_used }));
  const { version, store, tzdata, default_timezone, started_at, now } = info;
  const warnings = (info.warnings ?? []).map(({ code }) => code);
  const unowned = (cluster?.shards ?? []).filter((shard) => !shard.owner).length;
  return JSON.stringify({ server: { version, store, tzdata, default_timezone, started_at, now, warnings }, cluster: { trusted: cluster?.trusted, unowned_shards: unowned, nodes }, browser }, null, 2);
}

/** Whether the browser knows a time zone. */
export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
