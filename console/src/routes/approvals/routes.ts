import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const approvalsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'approvals',
  validateSearch: searchOf((raw) => ({ q: text(raw, 'q') })),
  component: lazyRouteComponent(() => import('./ApprovalsPage'), 'ApprovalsPage'),
});

export const approvalsRoutes = [approvalsRoute] as const;
