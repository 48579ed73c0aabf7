import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { count, oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const backfillsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'backfills',
  validateSearch: searchOf((raw) => ({ state: oneOf(raw, 'state', ['active', 'paused', 'completed', 'cancelled']) })),
  component: lazyRouteComponent(() => import('./BackfillsPage'), 'BackfillsPage'),
});

/** The whole of the wizard stands in the address. */
export const newBackfillRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'backfills/new',
  validateSearch: searchOf((raw) => ({
    job: text(raw, 'job'),
    from: text(raw, 'from'),
    to: text(raw, 'to'),
    trigger: text(raw, 'trigger'),
    timezone: text(raw, 'timezone'),
    reprocess: oneOf(raw, 'reprocess', ['missing', 'failed', 'all', 'tasks', 'failed_tasks']),
    tasks: text(raw, 'tasks'),
    downstream: oneOf(raw, 'downstream', ['true']),
    upstream: oneOf(raw, 'upstream', ['true']),
    create_missing: oneOf(raw, 'create_missing', ['true']),
    cascade: oneOf(raw, 'cascade', ['true']),
    order: oneOf(raw, 'order', ['asc', 'desc']),
    max_active: count(raw, 'max_active'),
    priority: text(raw, 'priority'),
    stop: oneOf(raw, 'stop', ['true']),
  })),
  component: lazyRouteComponent(() => import('./NewBackfillPage'), 'NewBackfillPage'),
});

export const backfillRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'backfills/$backfill',
  validateSearch: searchOf((raw) => ({ state: oneOf(raw, 'state', ['open', 'running', 'succeeded', 'failed', 'cancelled', 'skipped']) })),
  component: lazyRouteComponent(() => import('./BackfillPage'), 'BackfillPage'),
});

export const backfillsRoutes = [backfillsRoute, newBackfillRoute, backfillRoute] as const;
