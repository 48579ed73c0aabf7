import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text, words } from '@/lib/search';
import { nsRoute } from '../root';
import { MISFIRE_GROUPS } from './groups';

export const outcomes = ['missed', 'suppressed'] as const;
export const ranges = ['24h', '7d', '30d'] as const;

export const misfiresRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'misfires',
  validateSearch: searchOf((raw) => ({
    range: oneOf(raw, 'range', ranges),
    cause: text(raw, 'cause'),
    policy: text(raw, 'policy'),
    outcome: oneOf(raw, 'outcome', outcomes),
    job: text(raw, 'job'),
    group: oneOf(raw, 'group', MISFIRE_GROUPS),
    closed: words(raw, 'closed'),
  })),
  component: lazyRouteComponent(() => import('./MisfiresPage'), 'MisfiresPage'),
});

export const misfiresRoutes = [misfiresRoute] as const;
