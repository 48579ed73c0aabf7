import { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { asApiError } from './api/problem';
import { Crashed } from './frame/Crashed';
import { NotFound } from './frame/NotFound';
import { config } from './lib/config';
import { prefs } from './lib/prefs';
import { parseSearch, stringifySearch } from './lib/search';
import { alertsRoutes } from './routes/alerts/routes';
import { approvalsRoutes } from './routes/approvals/routes';
import { backfillsRoutes } from './routes/backfills/routes';
import { calendarsRoutes } from './routes/calendars/routes';
import { clusterRoutes } from './routes/cluster/routes';
import { dashboardRoutes } from './routes/dashboard/routes';
import { editorRoutes } from './routes/editor/routes';
import { flowsRoutes } from './routes/flows/routes';
import { jobRoutes } from './routes/job/routes';
import { jobsRoutes } from './routes/jobs/routes';
import { loginRoutes } from './routes/login/routes';
import { misfiresRoutes } from './routes/misfires/routes';
import { operationsRoutes } from './routes/operations/routes';
import { queuesRoutes } from './routes/queues/routes';
import { frameRoute, nsRoute, rootRoute } from './routes/root';
import { runRoutes } from './routes/run/routes';
import { runsRoutes } from './routes/runs/routes';
import { settingsRoutes } from './routes/settings/routes';
import { webhooksRoutes } from './routes/webhooks/routes';
import { xxlRoutes } from './routes/xxl/routes';
import { workersRoutes } from './routes/workers/routes';

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream says when something changed: nothing else makes a query run again.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => asApiError(error).status === 0 && failures < 2,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** The start: the namespace and the page that one was on last, or prefers. */
const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    const { landing, namespace } = prefs.get();
    const view = /^view:(jobs|runs):(.+)$/.exec(landing);
    if (view) throw redirect({ to: `/ns/$ns/${view[1] as 'jobs' | 'runs'}`, params: { ns: namespace }, search: { view: view[2] as string }, replace: true });
    const page = landing === 'dashboard' ? '/ns/$ns' : landing === 'jobs' ? '/ns/$ns/jobs' : '/ns/$ns/runs';
    throw redirect({ to: page, params: { ns: namespace }, replace: true });
  },
});

const tree = rootRoute.addChildren([
  indexRoute,
  ...loginRoutes,
  frameRoute.addChildren([
    nsRoute.addChildren([
      ...dashboardRoutes,
      ...jobsRoutes,
      ...editorRoutes,
      ...jobRoutes,
      ...runsRoutes,
      ...runRoutes,
      ...alertsRoutes,
      ...approvalsRoutes,
      ...backfillsRoutes,
      ...flowsRoutes,
      ...queuesRoutes,
      ...workersRoutes,
      ...calendarsRoutes,
      ...misfiresRoutes,
    ]),
    ...clusterRoutes,
    ...operationsRoutes,
    ...webhooksRoutes,
    ...xxlRoutes,
    ...settingsRoutes,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: config.base,
  context: { client },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
