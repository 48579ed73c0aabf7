import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text, words } from '@/lib/search';
import { nsRoute } from '../root';
import { RUN_GROUPS } from './groups';

export const runsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'runs',
  validateSearch: searchOf((raw) => ({
    q: text(raw, 'q'),
    view: text(raw, 'view'),
    from: text(raw, 'from'),
    to: text(raw, 'to'),
    cols: words(raw, 'cols'),
    group: oneOf(raw, 'group', RUN_GROUPS),
    closed: words(raw, 'closed'),
    peek: text(raw, 'peek'),
  })),
  component: lazyRouteComponent(() => import('./RunsPage'), 'RunsPage'),
});

export const runsRoutes = [runsRoute] as const;
