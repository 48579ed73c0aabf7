import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text, words } from '@/lib/search';
import { nsRoute } from '../root';

export const runsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'runs',
  validateSearch: searchOf((raw) => ({
    q: text(raw, 'q'),
    view: text(raw, 'view'),
    from: text(raw, 'from'),
    to: text(raw, 'to'),
    cols: words(raw, 'cols'),
    peek: text(raw, 'peek'),
  })),
  component: lazyRouteComponent(() => import('./RunsPage'), 'RunsPage'),
});

export const runsRoutes = [runsRoute] as const;
