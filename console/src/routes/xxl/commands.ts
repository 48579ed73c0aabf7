/** What the dialogs of apps do, for the command line and for curl. */
import { type Command, fillPath } from '@/lib/commands';

export interface AppBody {
  title?: string;
  slots?: number;
  addresses?: string[];
}

/** Options of the command line that both dialogs have. */
const options = ({ title, slots }: AppBody) => [...(title === undefined ? [] : ['--title', title]), ...(slots === undefined ? [] : ['--slots', String(slots)])];
const addressed = (addresses: readonly string[]) => addresses.flatMap((address) => ['--address', address]);

/** A token that executors have already stays out of it: the command line reads it from its standard input. */
export function createApp(name: string, body: AppBody, hasToken: boolean): Command {
  const token = hasToken ? { token: '***' } : {};
  return {
    cli: ['xxl', 'app', 'create', name, ...options(body), ...addressed(body.addresses ?? []), ...(hasToken ? ['--app-token-file', '-'] : [])],
    http: { method: 'POST', path: '/api/v1/xxl/apps', body: { name, ...body, ...token } },
  };
}

export function changeApp(name: string, body: AppBody): Command {
  const addresses = body.addresses ?? [];
  return {
    cli: ['xxl', 'app', 'set', name, ...options(body), ...(addresses.length > 0 ? addressed(addresses) : ['--no-addresses'])],
    http: { method: 'POST', path: fillPath('/api/v1/xxl/apps/{app}', { app: name }), body },
  };
}

export const rotateToken = (app: string, atOnce: boolean): Command => ({
  cli: ['xxl', 'app', 'rotate-token', app, ...(atOnce ? ['--at-once'] : [])],
  http: { method: 'POST', path: fillPath('/api/v1/xxl/apps/{app}/token', { app }), body: { at_once: atOnce } },
});

export const removeApp = (app: string): Command => ({
  cli: ['xxl', 'app', 'delete', app],
  http: { method: 'DELETE', path: fillPath('/api/v1/xxl/apps/{app}', { app }) },
});
