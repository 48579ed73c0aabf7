import { createRoute } from '@tanstack/react-router';
import { searchOf, text } from '@/lib/search';
import { rootRoute } from '../root';
import { LoginPage } from './LoginPage';

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'login',
  validateSearch: searchOf((raw) => ({ next: text(raw, 'next') })),
  component: LoginPage,
});

export const loginRoutes = [loginRoute] as const;
