import {
  Bell,
  Boxes,
  CalendarDays,
  Gauge,
  History,
  Inbox,
  Layers,
  ListChecks,
  ListTodo,
  type LucideIcon,
  Network,
  Settings,
  TimerOff,
  Plug,
  Rewind,
  Workflow,
  Webhook,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { AlertBadge } from './routes/alerts/AlertBadge';
import { ApprovalBadge } from './routes/approvals/ApprovalBadge';
import type { Dictionary } from './i18n';

export interface NavEntry {
  to: string;
  word: keyof Dictionary['shell'] & string;
  icon: LucideIcon;
  /** Second key after `g`. */
  key: string;
  /** In the bottom bar of phones. */
  phone?: boolean;
  /** How many things wait there. */
  badge?: ComponentType<{ ns: string }>;
}

/** The pages of the rail, in groups. */
export const nav: readonly (readonly NavEntry[])[] = [
  [
    { to: '/ns/$ns', word: 'dashboard', icon: Gauge, key: 'd', phone: true },
    { to: '/ns/$ns/jobs', word: 'jobs', icon: ListTodo, key: 'j', phone: true },
    { to: '/ns/$ns/runs', word: 'runs', icon: History, key: 'r', phone: true },
    { to: '/ns/$ns/flows', word: 'flows', icon: Workflow, key: 'f' },
    { to: '/ns/$ns/backfills', word: 'backfills', icon: Rewind, key: 'b' },
    { to: '/ns/$ns/approvals', word: 'approvals', icon: Inbox, key: 'a', badge: ApprovalBadge },
    { to: '/ns/$ns/alerts', word: 'alerts', icon: Bell, key: 'e', badge: AlertBadge },
  ],
  [
    { to: '/ns/$ns/queues', word: 'queues', icon: Layers, key: 'q', phone: true },
    { to: '/ns/$ns/workers', word: 'workers', icon: Boxes, key: 'w' },
    { to: '/cluster', word: 'cluster', icon: Network, key: 'c' },
  ],
  [
    { to: '/ns/$ns/calendars', word: 'calendars', icon: CalendarDays, key: 'l' },
    { to: '/ns/$ns/misfires', word: 'misfires', icon: TimerOff, key: 'm' },
    { to: '/operations', word: 'operations', icon: ListChecks, key: 'o' },
    { to: '/webhooks', word: 'webhooks', icon: Webhook, key: 'h' },
    { to: '/xxl', word: 'xxl', icon: Plug, key: 'x' },
  ],
  [{ to: '/settings', word: 'settings', icon: Settings, key: 's' }],
];
