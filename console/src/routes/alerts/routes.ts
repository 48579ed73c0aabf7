import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const alertTabs = ['open', 'rules', 'channels', 'deliveries', 'silences'] as const;
export type AlertTab = (typeof alertTabs)[number];

export const alertsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'alerts',
  validateSearch: searchOf((raw) => ({ tab: oneOf(raw, 'tab', alertTabs), channel: text(raw, 'channel') })),
  component: lazyRouteComponent(() => import('./AlertsPage'), 'AlertsPage'),
});

export const alertsRoutes = [alertsRoute] as const;
