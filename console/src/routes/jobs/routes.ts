import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text, words } from '@/lib/search';
import { nsRoute } from '../root';

export const jobsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'jobs',
  validateSearch: searchOf((raw) => ({
    q: text(raw, 'q'),
    view: text(raw, 'view'),
    sort: text(raw, 'sort'),
    cols: words(raw, 'cols'),
    group: text(raw, 'group'),
    open: words(raw, 'open'),
    peek: text(raw, 'peek'),
  })),
  component: lazyRouteComponent(() => import('./JobsPage'), 'JobsPage'),
});

export const jobsRoutes = [jobsRoute] as const;
