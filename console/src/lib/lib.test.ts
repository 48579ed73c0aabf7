import { expect, test } from 'vitest';
import { asCli, asCurl, fillPath, shellWord } from './commands';
import { readConfig } from './config';
import { JsonSyntax, member, parseExact, printExact } from './json';
import { isTyping, keyName } from './keys';
import { defaults, parsePrefs } from './prefs';
import { count, oneOf, parseSearch, searchOf, stringifySearch, text, words } from './search';
import { session, sessionEnded, signIn, signedIn } from './session';
import { formatDistance, formatDuration, formatFull, formatInstant, shortOffset } from './time';

const units = { ms: 'ms', s: 's', m: 'm', h: 'h', d: 'd', gap: ' ' };
const now = Date.parse('2026-03-29T10:00:00Z');
const show = (instant: string, zone: string) => formatInstant(Date.parse(instant), { zone, language: 'en', now });

test.each([
  ['2026-03-29T09:00:00Z', 'Asia/Shanghai', '17:00:00 +08'],
  ['2026-03-28T09:00:00Z', 'UTC', '03-28 09:00:00 Z'],
  ['2025-03-28T09:00:00Z', 'UTC', '2025-03-28 09:00:00 Z'],
  ['2026-03-29T00:59:59Z', 'Europe/Berlin', '01:59:59 +01'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '03:00:00 +02'],
  ['2026-03-29T09:00:00Z', 'Asia/Kolkata', '14:30:00 +05:30'],
  ['2026-03-29T12:00:00Z', 'America/New_York', '08:00:00 −04'],
])('%s in %s is written %s', (instant, zone, written) => {
  expect(show(instant, zone)).toBe(written);
});

test('a zone that the browser lacks falls back to UTC, and says so by its offset', () => {
  expect(show('2026-03-29T09:00:00Z', 'Mars/Olympus')).toBe('09:00:00 Z');
});

test('no instant, before 1970, and milliseconds', () => {
  expect(formatInstant(Number.NaN, { zone: 'UTC', language: 'en', now })).toBe('—');
  expect(formatFull(-1, 'UTC', 'en')).toBe('Wed 1969-12-31 23:59:59.999 Z');
  expect(formatInstant(now + 7, { zone: 'UTC', language: 'zh', now, precision: 'ms' })).toBe('10:00:00.007 Z');
  expect(shortOffset('GMT')).toBe('Z');
});

test.each([
  [0, '0 ms'],
  [84, '84 ms'],
  [999.6, '1 s'],
  [1500, '1.5 s'],
  [2000, '2 s'],
  [12_400, '12 s'],
  [59_999, '1 m'],
  [62_000, '1 m 2 s'],
  [3_600_000, '1 h'],
  [11_520_000, '3 h 12 m'],
  [90_000_000, '1 d 1 h'],
  [-62_000, '−1 m 2 s'],
  [Number.NaN, '—'],
])('%d ms is written %s', (ms, written) => {
  expect(formatDuration(ms, units)).toBe(written);
});

test('distances have one unit above ten hours', () => {
  expect(formatDistance(12 * 60_000, units)).toBe('12 m');
  expect(formatDistance(-5_400_000, units)).toBe('1 h 30 m');
  expect(formatDistance(40_000_000, units)).toBe('11 h');
  expect(formatDistance(400_000_000, units)).toBe('4 d');
});

test('what a shell would read otherwise is quoted', () => {
  expect(shellWord('nightly-export')).toBe('nightly-export');
  expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`);
  const command = { cli: ['job', 'pause', 'a b'], http: { method: 'POST', path: fillPath('/api/v1/jobs/{job}/pause', { job: 'a/b ü' }), body: { reason: "don't" } } } as const;
  expect(asCli(command.cli)).toBe("mainspring job pause 'a b'");
  expect(asCurl({ ...command, cli: [] }, 'http://h')).toBe(
    `curl -fsS -X POST -H "Authorization: Bearer $MAINSPRING_TOKEN" -H 'Content-Type: application/json' -d '{"reason":"don'\\''t"}' http://h/api/v1/jobs/a%2Fb%20%C3%BC/pause`,
  );
});

test('numbers keep every digit, and members their order', () => {
  const given = '{"b":9007199254740993,"a":[1.10,-0,1e400],"s":"x\\"\\u00e9\\\\"}';
  const json = parseExact(given);
  expect(printExact(json)).toBe('{\n  "b": 9007199254740993,\n  "a": [\n    1.10,\n    -0,\n    1e400\n  ],\n  "s": "x\\"é\\\\"\n}');
  expect(member(json, 'b')).toEqual({ kind: 'number', text: '9007199254740993' });
});

test('JSON that is none is refused, deep and large JSON is read', () => {
  for (const bad of ['', '{', '[1,]', '{"a":}', '"open', '01', 'nul', '{} x', '{"a" 1}', "'x'"]) expect(() => parseExact(bad), bad).toThrow();
  expect(() => parseExact('['.repeat(5000))).toThrow(JsonSyntax);
  expect(parseExact('['.repeat(200) + ']'.repeat(200)).kind).toBe('array');
  expect(parseExact(JSON.stringify('x'.repeat(12_000_000))).kind).toBe('string');
});

test('keys are named as bindings spell them', () => {
  const press = (key: string, more = {}) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  expect(press('j')).toBe('j');
  expect(press('K', { ctrlKey: true })).toBe('mod-k');
  expect(press('k', { metaKey: true })).toBe('mod-k');
  expect(press('R', { shiftKey: true })).toBe('shift-r');
  expect(press('?', { shiftKey: true })).toBe('?');
});

test('keys belong to inputs while one types', () => {
  const input = document.createElement('input');
  expect(isTyping(input)).toBe(true);
  expect(isTyping(document.createElement('a'))).toBe(false);
  expect(isTyping(null)).toBe(false);
});

test('search parameters are read with suspicion', () => {
  const read = searchOf((raw) => ({ q: text(raw, 'q'), n: count(raw, 'n'), tab: oneOf(raw, 'tab', ['a', 'b']), cols: words(raw, 'cols') }));
  expect(read(parseSearch('?q=state:failed+x&n=12&tab=a&cols=a,b'))).toEqual({ q: 'state:failed x', n: 12, tab: 'a', cols: ['a', 'b'] });
  expect(read(parseSearch('?q=&n=-1&tab=z&cols=,'))).toEqual({});
  expect(stringifySearch({ q: 'state:failed a=b&c', cols: ['a', 'b'], none: undefined })).toBe('?q=state:failed+a%3Db%26c&cols=a,b');
  expect(parseSearch(stringifySearch({ q: 'a+b %20 "x"' }))).toEqual({ q: 'a+b %20 "x"' });
});

test('kept preferences of the wrong type are passed over', () => {
  const base = defaults(['de-DE', 'zh-TW', 'en']);
  expect(base.language).toBe('zh');
  expect(defaults(['fr', 'en-US']).language).toBe('en');
  expect(parsePrefs('{"theme":"dark","singleKeys":"yes"}', base)).toMatchObject({ theme: 'dark', singleKeys: true });
  expect(parsePrefs('no json', base)).toEqual(base);
  expect(parsePrefs('null', base)).toEqual(base);
});

test('the page says where it lives', () => {
  expect(readConfig('{"base":"/ops/","version":"1.0","nonce":"x"}', '/')).toEqual({ base: '/ops/', version: '1.0', nonce: 'x' });
  expect(readConfig('{}', '/ops/').base).toBe('/ops/');
  expect(readConfig(null, null).base).toBe('/');
});

test('a refusal from before the newest sign-in ends nothing', () => {
  const before = signIn();
  signedIn();
  sessionEnded(before);
  expect(session.get()).toBe('known');
  sessionEnded(signIn());
  expect(session.get()).toBe('ended');
  signedIn();
  expect(session.get()).toBe('known');
});
