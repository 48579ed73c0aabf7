import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { frameRoute } from '../root';

export const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'webhooks',
  validateSearch: searchOf((raw) => ({ name: text(raw, 'name') })),
  component: lazyRouteComponent(() => import('./WebhooksPage'), 'WebhooksPage'),
});

export const webhooksRoutes = [webhooksRoute] as const;
