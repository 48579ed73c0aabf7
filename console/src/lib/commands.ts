import { apiPath } from './config';

/** An action as the command line and the API spell it. */
export interface Command {
  /** Arguments of `mainspring`, where it has such a command. */
  cli?: string[];
  http: { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown };
}

/** One command, or some that do it together. */
export type Commands = Command | readonly Command[];

/** The words for a shell, a line for each command: what the command line lacks has none. */
export function asText(commands: Commands, how: 'cli' | 'curl'): string {
  const lines = [commands].flat().flatMap((command) => (how === 'curl' ? asCurl(command) : command.cli ? asCli(command.cli) : []));
  return lines.join('\n');
}

/** Quotes a word for a POSIX shell, when it needs that. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function asCli(cli: readonly string[]): string {
  return ['mainspring', ...cli].map(shellWord).join(' ');
}

/** The token stays out of it: the shell takes it from the environment. */
export function asCurl(command: Command, origin: string = location.origin): string {
  const { method, path, body } = command.http;
  const words = ['curl', '-fsS'];
  if (method !== 'GET') words.push('-X', method);
  const parts = words.map(shellWord);
  parts.push('-H', '"Authorization: Bearer $MAINSPRING_TOKEN"');
  if (body !== undefined) parts.push('-H', shellWord('Content-Type: application/json'), '-d', shellWord(JSON.stringify(body)));
  parts.push(shellWord(origin + apiPath(path)));
  return parts.join(' ');
}

/** Fills a path template, encoding every part. */
export function fillPath(template: string, parts: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));
}
