import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../root';

export const clusterRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'cluster',
  component: lazyRouteComponent(() => import('./ClusterPage'), 'ClusterPage'),
});

export const clusterRoutes = [clusterRoute] as const;
