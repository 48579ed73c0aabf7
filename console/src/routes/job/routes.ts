import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { count, oneOf, searchOf } from '@/lib/search';
import { nsRoute } from '../root';
import { workflowSearch } from '../workflow/search';

export const jobTabs = ['overview', 'tasks', 'runs', 'schedule', 'calendar', 'script', 'versions', 'definition'] as const;

export const jobRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'jobs/$job',
  validateSearch: searchOf((raw) => ({ tab: oneOf(raw, 'tab', jobTabs), from: count(raw, 'from'), to: count(raw, 'to'), ...workflowSearch(raw) })),
  component: lazyRouteComponent(() => import('./JobPage'), 'JobPage'),
});

export const jobRoutes = [jobRoute] as const;
