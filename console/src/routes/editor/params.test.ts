import { expect, test } from 'vitest';
import { defaultOf } from './params';

test.each([
  ['integer', '9007199254740993', 9007199254740993n],
  ['integer', '1.5', '1.5'],
  ['number', '1.5', 1.5],
  ['boolean', 'true', true],
  ['boolean', 'yes', 'yes'],
  ['string', '12', '12'],
  [undefined, '12', '12'],
  ['integer', '', undefined],
])('the default of a %s typed as %j', (type, typed, value) => {
  expect(defaultOf(type, typed)).toBe(value);
});
