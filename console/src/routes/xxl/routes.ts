import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text } from '@/lib/search';
import { frameRoute } from '../root';

export const xxlRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'xxl',
  validateSearch: searchOf((raw) => ({ tab: oneOf(raw, 'tab', ['apps', 'moved']), app: text(raw, 'app'), q: text(raw, 'q') })),
  component: lazyRouteComponent(() => import('./XxlPage'), 'XxlPage'),
});

export const xxlRoutes = [xxlRoute] as const;
