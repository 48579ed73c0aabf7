/** Everything that the console does can be done without it: each write has a command, and each command exists. */
import { expect, test } from 'vitest';
import { asText } from './lib/commands';
import { channelCommand, ruleCommand, silenceCommand } from './routes/alerts/commands';
import { decideCommand } from './routes/approvals/commands';
import { calendarCommand } from './routes/calendars/commands';
import { glueCommand } from './routes/glue/queries';
import { limitsCommand } from './routes/queues/limits';
import { createCommand } from './routes/webhooks/commands';
import { changeApp, createApp, rotateToken } from './routes/xxl/commands';

// Built as text, so that the bundle's compiler does not look for types of Node.
const fs = (await import(['node', 'fs'].join(':'))) as { readFileSync: (name: string, encoding: string) => string };
const reference = fs.readFileSync('../docs/reference/command-line.md', 'utf8');
const sources = Object.values(import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test.*', '!./api/schema.d.ts'], { query: '?raw', import: 'default', eager: true }));

test('every command of the command line exists', () => {
  const headings = new Set([...reference.matchAll(/^## mainspring (.+)$/gm)].map((match) => match[1] ?? ''));
  // The literal words that a command begins with, up to the first that is a value.
  const begun = sources.flatMap((source) => [...source.matchAll(/cli: \[((?:\s*'[a-z-]+',?)+)/g)].map((match) => [...(match[1] ?? '').matchAll(/'([a-z-]+)'/g)].map((word) => word[1] ?? '')));
  expect(begun.length).toBeGreaterThan(25);
  const unknown = begun.filter((words) => {
    const verbs = words.filter((word) => !word.startsWith('-'));
    return !headings.has(verbs.join(' ')) && ![...headings].some((heading) => heading.startsWith(`${verbs.join(' ')} `));
  });
  expect(unknown).toEqual([]);
});

test('every option that dialogs give a command is one of its options', () => {
  const commands = [
    ruleCommand({ name: 'r', alerts: [] }),
    channelCommand({ name: 'c', webhook: { url: 'https://example.org' } }),
    silenceCommand({ until: '2026-11-25T00:00:00Z', reason: 'disk', namespace: 'a', job: 'b', label: 'x=y' }),
    silenceCommand({ until: '2026-11-25T00:00:00Z', reason: 'disk', namespace: 'a' }),
    calendarCommand('default', { name: 'holidays' }),
    createCommand({ name: 'w', url: 'https://example.org', events: ['run.*'], namespace: 'a', job: 'b' }),
    decideCommand('01R', 'go', 'approve', 'ann', 'tested'),
    decideCommand('01R', 'go', 'reject'),
    createApp('demo', { title: 'Demo', slots: 3, addresses: ['http://10.0.0.7:9999/'] }, true),
    changeApp('demo', { title: 'Demo', slots: 3, addresses: [] }),
    changeApp('demo', { addresses: ['http://10.0.0.7:9999/'] }),
    rotateToken('demo', true),
    limitsCommand('q', { paused: false, max_running: 2, rate: { count: 5, per_ms: 1000 } }),
    glueCommand('default', 'sums', { source: 'echo 1\n', language: 'shell', version: 1 }, 'begun'),
  ];
  for (const { cli = [] } of commands) {
    // `run` is a noun with verbs; `apply` has none.
    const heading = [3, 2, 1].map((words) => cli.slice(0, words).join(' ')).find((words) => reference.includes(`## mainspring ${words}\n`));
    expect(heading, cli.join(' ')).toBeDefined();
    const begin = reference.indexOf(`## mainspring ${heading}\n`);
    const section = reference.slice(begin, reference.indexOf('\n## ', begin + 4));
    for (const option of cli.filter((word) => /^--?[a-z]/.test(word))) expect(section, `${heading} ${option}`).toMatch(new RegExp(`(^|[\`\\s])${option}[\`\\s,]`));
  }
});

/** Writes that are no actions: they ask without changing anything, or keep what belongs to the console. */
const noAction = [
  /^POST \/api\/v1\/(session.*|token.*)$/,
  /\/(plan|preview)$/,
  /^(PUT|DELETE) \/api\/v1\/views\//,
];

test('every write has a command with the same method and path', () => {
  const shape = (path: string) => path.replace(/\{\w+\}/g, '{}');
  const writes = sources.flatMap((source) => [...source.matchAll(/api\.(POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g)].map((match) => `${match[1]} ${shape(match[2] ?? '')}`));
  // A choice between two paths is two commands.
  const of = (method: string, text: string) => [...text.matchAll(/\/api\/v1\/[\w/{}-]*/g)].map(([path]) => `${method} ${shape(path)}`);
  const offered = new Set(sources.flatMap((source) => [...source.matchAll(/method: '(\w+)'(?: as const)?,\s*path: ([^;\n]+)/g)].flatMap((match) => of(match[1] ?? '', match[2] ?? ''))));
  expect(writes.length).toBeGreaterThan(30);
  const missing = [...new Set(writes)].filter((write) => !noAction.some((pattern) => pattern.test(write)) && !offered.has(write));
  expect(missing).toEqual([]);
});

test('what a command reads stands behind it, up to a line that it does not have', () => {
  const text = asText(glueCommand('default', 'sums', { source: "echo 'END'\nEND\n", language: 'shell', version: 1 }, "it's"), 'cli');
  expect(text).toBe("mainspring xxl glue set default/sums - --language shell --remark 'it'\\''s' <<'END_'\necho 'END'\nEND\nEND_");
});

test('secrets are not copied', () => {
  const channel = channelCommand({ name: 'c', dingtalk: { url: 'https://example.org/?access_token=t0ps3cret', secret: 'SECt0ps3cret' } });
  const app = createApp('demo', {}, true);
  for (const how of ['cli', 'curl'] as const) {
    globalThis.location ??= { origin: 'http://h' } as Location;
    expect(asText([channel, app], how)).not.toContain('t0ps3cret');
  }
});
