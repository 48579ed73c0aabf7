import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const jobRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'jobs/$job',
  component: lazyRouteComponent(() => import('./JobPage'), 'JobPage'),
});

export const jobRoutes = [jobRoute] as const;
