import type { QueryClient } from '@tanstack/react-query';
import { Outlet, createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { ConfirmDialog } from '@/components/confirm';
import { InstantCard } from '@/components/Instant';
import { Toasts } from '@/components/toast';
import { Frame } from '@/frame/Frame';
import { NotFound } from '@/frame/NotFound';
import { Crashed } from '@/frame/Crashed';

export const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Crashed,
});

/** What lies over every page stands inside the router, as it has links. */
function Root() {
  return (
    <>
      <Outlet />
      <ConfirmDialog />
      <Toasts />
      <InstantCard />
    </>
  );
}

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
