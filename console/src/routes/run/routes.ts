import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { count, oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';
import { workflowSearch } from '../workflow/search';

export const runTabs = ['tasks', 'log', 'timeline', 'data'] as const;

export const runRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'runs/$run',
  validateSearch: searchOf((raw) => ({
    /** A task from which the run is to be run again; `*` asks which. */
    rerun: text(raw, 'rerun'),
    attempt: count(raw, 'attempt'),
    tab: oneOf(raw, 'tab', runTabs),
    find: text(raw, 'find'),
    ...workflowSearch(raw),
  })),
  component: lazyRouteComponent(() => import('./RunPage'), 'RunPage'),
});

export const runRoutes = [runRoute] as const;
