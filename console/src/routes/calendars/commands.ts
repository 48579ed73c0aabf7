/** What the dialog of calendars does, for the command line and for curl. */
import { type Command, documentOf, fillPath } from '@/lib/commands';
import type { Calendar } from './queries';

export const calendarCommand = (namespace: string, spec: Calendar['spec']): Command => ({
  cli: ['apply', '-'],
  stdin: documentOf({ namespace, calendars: [spec] }),
  http: { method: 'PUT', path: fillPath('/api/v1/namespaces/{namespace}/calendars/{calendar}', { namespace, calendar: spec.name }), body: spec },
});
