import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const workersRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'workers',
  component: lazyRouteComponent(() => import('./WorkersPage'), 'WorkersPage'),
});

/** One worker, by its name: what a worker is called outlives its process, whose id is new each time. */
export const workerRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'workers/$worker',
  component: lazyRouteComponent(() => import('./WorkerPage'), 'WorkerPage'),
});

export const workersRoutes = [workersRoute, workerRoute] as const;
