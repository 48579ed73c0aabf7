import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../root';

export const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('./SettingsPage'), 'SettingsPage'),
});

export const settingsRoutes = [settingsRoute] as const;
