import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { Frame } from '@/frame/Frame';
import { NotFound } from '@/frame/NotFound';
import { Crashed } from '@/frame/Crashed';

export const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  notFoundComponent: NotFound,
  errorComponent: Crashed,
});

/** Everything but the login page stands in the frame. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: Frame,
});

/** A namespace; `-` stands for all of them. */
export const nsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'ns/$ns',
});
