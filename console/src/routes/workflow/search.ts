import { oneOf, text } from '@/lib/search';

/** What of a workflow an address shows. */
export const workflowSearch = (raw: Record<string, unknown>) => ({
  view: oneOf(raw, 'view', ['graph', 'list', 'gantt', 'grid']),
  focus: text(raw, 'focus'),
  task: text(raw, 'task'),
  dir: oneOf(raw, 'dir', ['LR', 'TB']),
});
