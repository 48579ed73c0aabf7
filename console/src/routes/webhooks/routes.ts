import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../root';

export const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./WebhooksPage'), 'WebhooksPage'),
});

export const webhooksRoutes = [webhooksRoute] as const;
