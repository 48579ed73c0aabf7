import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const calendarsRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'calendars',
  validateSearch: searchOf((raw) => ({ name: text(raw, 'name') })),
  component: lazyRouteComponent(() => import('./CalendarsPage'), 'CalendarsPage'),
});

export const calendarsRoutes = [calendarsRoute] as const;
