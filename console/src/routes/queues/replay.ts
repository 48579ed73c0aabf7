/** What runs all that has failed in a queue again. Pure. */
import type { OperationSpec } from '@/api/operations';
import type { Command } from '@/lib/commands';
import { quoted } from '@/lib/query';

export function replaySpec(queue: string): OperationSpec {
  return { action: 'rerun', selector: { namespace: '-', q: `queue:${quoted(queue)}` } };
}

export function replayCommand(queue: string): Command {
  return { cli: ['queue', 'replay', queue], http: { method: 'POST', path: '/api/v1/operations', body: replaySpec(queue) } };
}
