import { expect, test } from 'vitest';
import { parseTerms, readQuery, toggleTerm, writeTerm } from './query';

test('a query is split into fields, values and free text', () => {
  const terms = parseTerms('nightly label:team=ops -state:paused name:"a b"');
  expect(terms.map(({ field, value, negated }) => [field, value, negated])).toEqual([
    ['', 'nightly', false],
    ['label', 'team=ops', false],
    ['state', 'paused', true],
    ['name', 'a b', false],
  ]);
});

test('a quote that is not closed takes the rest', () => {
  expect(parseTerms('name:"a b')[0]?.value).toBe('a b');
});

test('terms become what the list route takes', () => {
  expect(readQuery('state:paused label:team report')).toEqual({
    filter: { paused: true, label: 'team', name: 'report' },
    unknown: [],
  });
  expect(readQuery('-state:paused').filter).toEqual({ paused: false });
});

test('what the list does not know is named, not passed over', () => {
  const { unknown } = readQuery('colour:red one two -label:x');
  expect(unknown.map((term) => term.value)).toEqual(['red', 'two', 'x']);
});

test('values with spaces and quotes survive being written', () => {
  for (const value of ['plain', 'two words', 'say "hi"', 'back\\slash here']) {
    expect(parseTerms(writeTerm('name', value))[0]?.value).toBe(value);
  }
});

test('a chip puts its term in and takes it out again', () => {
  expect(toggleTerm('report', 'state', 'paused')).toBe('report state:paused');
  expect(toggleTerm('report state:paused', 'state', 'paused')).toBe('report');
  expect(toggleTerm('state:paused', 'state', 'enabled')).toBe('state:enabled');
});
