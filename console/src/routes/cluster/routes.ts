import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../root';

export const clusterRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'cluster',
  component: lazyRouteComponent(() => import('./ClusterPage'), 'ClusterPage'),
});

/** One node, by its name: that outlives its process, whose id is new each time. */
export const nodeRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'cluster/nodes/$node',
  component: lazyRouteComponent(() => import('./NodePage'), 'NodePage'),
});

export const clusterRoutes = [clusterRoute, nodeRoute] as const;
