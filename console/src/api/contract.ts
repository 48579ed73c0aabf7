/**
 * Types of routes that docs/reference/openapi.json does not have yet. Each goes as soon as the generated type is there.
 */

/** `GET /api/v1/dashboard` */
export interface Dashboard {
  now: string;
  from: string;
  step_ms: number;
  counters: {
    fires: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    skipped: number;
    missed: number;
    queued: number;
    running: number;
    late_p99_ms?: number | null;
    workers_alive: number;
    workers: number;
  };
  series: {
    at: string;
    fires: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    skipped: number;
    missed: number;
    late_p50_ms?: number | null;
    late_p99_ms?: number | null;
    late_max_ms?: number | null;
  }[];
  attention: {
    kind: 'failing' | 'late' | 'stuck' | 'misfires' | 'webhooks' | 'unknown';
    namespace?: string | null;
    job?: string | null;
    queue?: string | null;
    count: number;
    since: string;
    last_run?: string | null;
    detail: string;
  }[];
  next_hour: { at: string; fires: number; top: { namespace: string; job: string; at: string }[] }[];
  next_hour_complete: boolean;
  longest: { run: string; namespace: string; job: string; started_at: string; running_ms: number; p95_ms?: number | null }[];
}

/** What `recent` and `q` add to the jobs of a list. */
export interface ListedJob {
  recent?: { id: string; state: string; started_at?: string | null; ended_at?: string | null }[];
  explanations?: string[];
}

/** `GET /api/v1/facets` */
export interface Facets {
  values: { value: string; count?: number | null }[];
  complete: boolean;
}
