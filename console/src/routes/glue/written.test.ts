import { expect, test } from 'vitest';
import type { Stored } from './queries';
import { isOvertaken, over, toSave, write } from './written';

const first: Stored = { source: 'a\r\nb\r\n', language: 'shell', version: 3 };
const theirs: Stored = { source: 'other\n', language: 'python', version: 5 };

test('a script whose lines end as in Windows is not changed by being opened', () => {
  expect(write(undefined, first, 'a\nb\n')).toBeUndefined();
});

test('the first key decides what is replaced', () => {
  const begun = write(undefined, first, 'a\nb\nc\n');
  const more = write(begun, theirs, 'a\nb\nc\nd\n');
  expect(more?.base).toBe(first);
  expect(more && toSave(more)).toEqual({ source: 'a\r\nb\r\nc\r\nd\r\n', language: 'shell', version: 3 });
  expect(write(more, theirs, 'a\nb\n')).toBeUndefined();
});

test('only another script is in the way of a save', () => {
  const begun = write(undefined, first, 'mine\n');
  if (!begun) throw new Error('nothing is written');
  expect(isOvertaken(begun, { ...first, version: 4 } as Stored)).toBe(false);
  expect(isOvertaken(begun, theirs)).toBe(true);
  expect(isOvertaken(begun, { ...first, language: 'python' })).toBe(true);
  expect(toSave(over(begun, theirs))).toEqual({ source: 'mine\n', language: 'shell', version: 5 });
});
