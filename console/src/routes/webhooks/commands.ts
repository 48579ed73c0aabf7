/** What the dialog of webhooks does, for the command line and for curl. */
import type { Command } from '@/lib/commands';

export interface WebhookBody {
  name: string;
  url: string;
  events: string[];
  namespace?: string;
  job?: string;
}

export function createCommand(body: WebhookBody): Command {
  const { name, url, events, namespace, job } = body;
  const only = namespace ? ['--only', job ? `${namespace}/${job}` : namespace] : [];
  return {
    cli: ['webhook', 'create', name, '--url', url, ...(events.length > 0 ? ['--events', events.join(',')] : []), ...only],
    http: { method: 'POST', path: '/api/v1/webhooks', body },
  };
}
