/** A decision, for the command line and for curl. */
import { type Command, fillPath } from '@/lib/commands';

export function decideCommand(run: string, task: string, verb: 'approve' | 'reject', by = '', reason = ''): Command {
  const path = verb === 'approve' ? fillPath('/api/v1/runs/{run}/tasks/{task}/approve', { run, task }) : fillPath('/api/v1/runs/{run}/tasks/{task}/reject', { run, task });
  return {
    cli: ['run', verb, run, task, ...(by ? ['--as', by] : []), ...(reason ? ['--reason', reason] : [])],
    http: { method: 'POST', path, body: { ...(by ? { by } : {}), ...(reason ? { reason } : {}) } },
  };
}
