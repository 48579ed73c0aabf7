import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const queuesRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'queues',
  validateSearch: searchOf((raw) => ({ queue: text(raw, 'queue') })),
  component: lazyRouteComponent(() => import('./QueuesPage'), 'QueuesPage'),
});

export const queuesRoutes = [queuesRoute] as const;
