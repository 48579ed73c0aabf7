import { expect, test } from 'vitest';
import { askedBy, parseTerms, quoted, valueOf, withValue } from './query';

test('a query is split into fields, values and free text', () => {
  const terms = parseTerms('nightly label:team=ops,"a b" -state:paused next<1h');
  expect(terms.map(({ field, value, negated }) => [field, value, negated])).toEqual([
    ['', 'nightly', false],
    ['label', 'team=ops,"a b"', false],
    ['state', 'paused', true],
    ['', 'next<1h', false],
  ]);
});

test('a chip sets its field and leaves the rest as it was written', () => {
  const query = 'report -label:x="a b" state:paused';
  expect(valueOf(query, 'state')).toBe('paused');
  expect(withValue(query, 'state', 'failing')).toBe('report -label:x="a b" state:failing');
  expect(withValue(query, 'state', undefined)).toBe('report -label:x="a b"');
  expect(valueOf('-state:paused', 'state')).toBeUndefined();
});

test('values are quoted where they need it', () => {
  expect(['plain', 'two words', 'a,b', 'say "hi"'].map(quoted)).toEqual(['plain', '"two words"', '"a,b"', '"say \\"hi\\""']);
});

test.each([
  ['', '', undefined, ''],
  ['sta', '', undefined, 'sta'],
  ['-sta', '-', undefined, 'sta'],
  ['label:te', 'label:', 'label', 'te'],
  ['-label:a,te', '-label:a,', 'label', 'te'],
  ['label:"two', 'label:', 'label', 'two'],
])('the word %j asks for what may follow', (word, before, field, prefix) => {
  expect(askedBy(word)).toEqual({ before, field, prefix });
});
