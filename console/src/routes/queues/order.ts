/** The order of a queue as the command line and curl change it. Pure. */
import type { components } from '@/api/schema';
import { type Command, fillPath } from '@/lib/commands';

export type PlaceBody = Omit<components['schemas']['RunPlace'], 'by'>;

export function placeCommand(run: string, to: 'first' | 'last'): Command {
  return { cli: ['queue', to === 'first' ? 'top' : 'requeue', run], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/place', { run }), body: { to } } };
}

export function dropCommand(run: string): Command {
  return { cli: ['queue', 'drop', run], http: { method: 'POST', path: fillPath('/api/v1/runs/{run}/drop', { run }), body: {} } };
}
