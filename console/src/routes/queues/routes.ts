import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';

export const queuesRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'queues',
  validateSearch: searchOf((raw) => ({ queue: text(raw, 'queue') })),
  // Where a queue was named beside the list, before it had a page.
  beforeLoad: ({ params: { ns }, search }) => {
    const { queue } = search as { queue?: string };
    if (queue !== undefined) throw redirect({ to: '/ns/$ns/queues/$queue', params: { ns, queue }, replace: true });
  },
  component: lazyRouteComponent(() => import('./QueuesPage'), 'QueuesPage'),
});

export const queueRanges = ['1h', '6h', '24h', '7d', '30d'] as const;

export const queueRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'queues/$queue',
  validateSearch: searchOf((raw) => ({ range: oneOf(raw, 'range', queueRanges) })),
  component: lazyRouteComponent(() => import('./QueuePage'), 'QueuePage'),
});

export const queuesRoutes = [queuesRoute, queueRoute] as const;
