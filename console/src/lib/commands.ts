import { apiPath } from './config';

/** An action as the command line and the API spell it. */
export interface Command {
  /** Arguments of `mainspring`, where it has such a command. */
  cli?: string[];
  /** What the command line reads from its standard input. */
  stdin?: string;
  http: { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown; /** The body as it is sent, where numbers must keep every digit. */ text?: string };
}

/** One command, or some that do it together. */
export type Commands = Command | readonly Command[];

/** The words for a shell, a line for each command: what the command line lacks has none. */
export function asText(commands: Commands, how: 'cli' | 'curl'): string {
  const lines = [commands].flat().flatMap((command) => (how === 'curl' ? asCurl(command) : command.cli ? withInput(asCli(command.cli), command.stdin) : []));
  return lines.join('\n');
}

/** Quotes a word for a POSIX shell, when it needs that. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A document of JSON, which is YAML too, for the standard input. */
export function documentOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A document that follows a command, up to a line that it does not have. */
function withInput(command: string, stdin: string | undefined): string {
  if (stdin === undefined) return command;
  const lines = new Set(stdin.split('\n'));
  let end = 'END';
  while (lines.has(end)) end += '_';
  return `${command} <<'${end}'\n${stdin}${stdin.endsWith('\n') ? '' : '\n'}${end}`;
}

export function asCli(cli: readonly string[]): string {
  return ['mainspring', ...cli].map(shellWord).join(' ');
}

/** The token stays out of it: the shell takes it from the environment. */
export function asCurl(command: Command, origin: string = location.origin): string {
  const { method, path, body, text = body === undefined ? undefined : JSON.stringify(body) } = command.http;
  const words = ['curl', '-fsS'];
  if (method !== 'GET') words.push('-X', method);
  const parts = words.map(shellWord);
  parts.push('-H', '"Authorization: Bearer $MAINSPRING_TOKEN"');
  if (text !== undefined) parts.push('-H', shellWord('Content-Type: application/json'), '-d', shellWord(text));
  parts.push(shellWord(origin + apiPath(path)));
  return parts.join(' ');
}

/** Fills a path template, encoding every part. */
export function fillPath(template: string, parts: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));
}
