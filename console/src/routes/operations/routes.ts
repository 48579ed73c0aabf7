import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { frameRoute } from '../root';

export const operationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'operations',
  validateSearch: searchOf((raw) => ({ id: text(raw, 'id') })),
  component: lazyRouteComponent(() => import('./OperationsPage'), 'OperationsPage'),
});

export const operationsRoutes = [operationsRoute] as const;
