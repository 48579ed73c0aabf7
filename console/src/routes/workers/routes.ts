import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const workersRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'workers',
  component: lazyRouteComponent(() => import('./WorkersPage'), 'WorkersPage'),
});

export const workersRoutes = [workersRoute] as const;
