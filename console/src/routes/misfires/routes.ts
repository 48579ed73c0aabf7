import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const misfiresRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'misfires',
  component: lazyRouteComponent(() => import('./MisfiresPage'), 'MisfiresPage'),
});

export const misfiresRoutes = [misfiresRoute] as const;
