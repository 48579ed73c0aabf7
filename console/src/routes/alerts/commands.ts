/** What the dialogs of alerts do, for the command line and for curl. */
import { type Command, documentOf, fillPath } from '@/lib/commands';
import type { ChannelSpec, RuleSpec } from './queries';

export const ruleCommand = (rule: RuleSpec): Command => ({
  cli: ['alert', 'rule', 'apply', '-f', '-'],
  stdin: documentOf(rule),
  http: { method: 'PUT', path: fillPath('/api/v1/alert-rules/{rule}', { rule: rule.name }), body: rule },
});

/** Secrets stay out of it, as of everything that is copied: servers leave `***` as it is, and refuse it where there is none yet. */
export function channelCommand(channel: ChannelSpec): Command {
  const kept = JSON.parse(JSON.stringify(channel, (key, value: unknown) => (secrets.has(key) && typeof value === 'string' && value !== '' ? '***' : value))) as ChannelSpec;
  return {
    cli: ['alert', 'channel', 'apply', '-f', '-'],
    stdin: documentOf(kept),
    http: { method: 'PUT', path: fillPath('/api/v1/alert-channels/{channel}', { channel: channel.name }), body: kept },
  };
}

const secrets: ReadonlySet<string> = new Set(['url', 'secret', 'password']);

export interface SilenceBody {
  until: string;
  reason: string;
  namespace?: string;
  job?: string;
  label?: string;
}

export function silenceCommand(body: SilenceBody): Command {
  const { namespace, job, label } = body;
  const of = job ? ['--job', namespace ? `${namespace}/${job}` : job] : namespace ? ['--all-of', namespace] : [];
  return {
    cli: ['alert', 'silence', 'add', ...of, ...(label ? ['--label', label] : []), '--until', body.until, '--reason', body.reason],
    http: { method: 'POST', path: '/api/v1/alert-silences', body },
  };
}
