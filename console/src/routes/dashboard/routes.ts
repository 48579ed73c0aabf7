import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf } from '@/lib/search';
import { nsRoute } from '../root';

export const ranges = ['1h', '6h', '24h', '7d', '30d', '90d'] as const;

export const dashboardRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: '/',
  validateSearch: searchOf((raw) => ({ range: oneOf(raw, 'range', ranges) })),
  component: lazyRouteComponent(() => import('./DashboardPage'), 'DashboardPage'),
});

export const dashboardRoutes = [dashboardRoute] as const;
