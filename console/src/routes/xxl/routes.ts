import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text } from '@/lib/search';
import { frameRoute } from '../root';
import { kinds, outcomes } from './report';

export const xxlRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'xxl',
  validateSearch: searchOf((raw) => ({ tab: oneOf(raw, 'tab', ['apps', 'report', 'moved']), app: text(raw, 'app'), q: text(raw, 'q'), kind: oneOf(raw, 'kind', kinds), outcome: oneOf(raw, 'outcome', outcomes) })),
  component: lazyRouteComponent(() => import('./XxlPage'), 'XxlPage'),
});

export const xxlRoutes = [xxlRoute] as const;
