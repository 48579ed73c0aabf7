import { expect, test } from 'vitest';
import { whoOf } from './who';

test.each([
  ['the access token', undefined, 'token'],
  ['ann@laptop, with the access token', 'ann@laptop', 'token'],
  ['a, with b, with a session of the console', 'a, with b', 'session'],
  ['a script of app demo', 'a script of app demo', undefined],
])('%s is told apart', (text, name, way) => {
  expect(whoOf(text)).toEqual({ name, way });
});
