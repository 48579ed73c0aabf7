import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const queuesRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'queues',
  component: lazyRouteComponent(() => import('./QueuesPage'), 'QueuesPage'),
});

export const queuesRoutes = [queuesRoute] as const;
