import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nsRoute } from '../root';

export const calendarsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'calendars',
  component: lazyRouteComponent(() => import('./CalendarsPage'), 'CalendarsPage'),
});

export const calendarsRoutes = [calendarsRoute] as const;
