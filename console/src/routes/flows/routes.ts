import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { count, oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const flowViews = ['canvas', 'list', 'bulletins', 'file'] as const;
export type FlowView = (typeof flowViews)[number];

export const flowsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'flows',
  validateSearch: searchOf((raw) => ({ q: text(raw, 'q') })),
  component: lazyRouteComponent(() => import('./FlowsPage'), 'FlowsPage'),
});

export const newFlowRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'flows/new',
  component: lazyRouteComponent(() => import('./NewFlowPage'), 'NewFlowPage'),
});

export const flowRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'flows/$flow',
  validateSearch: searchOf((raw) => ({
    view: oneOf(raw, 'view', flowViews),
    /** The component or connection that is chosen. */
    at: text(raw, 'at'),
    dir: oneOf(raw, 'dir', ['LR', 'TB']),
    /** The connection whose items are listed, and the item that is looked at. */
    queue: text(raw, 'queue'),
    item: count(raw, 'item'),
  })),
  component: lazyRouteComponent(() => import('./FlowPage'), 'FlowPage'),
});

export const flowsRoutes = [flowsRoute, newFlowRoute, flowRoute] as const;
