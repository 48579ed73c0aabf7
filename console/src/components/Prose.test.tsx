import { expect, test } from 'vitest';
import { tells } from './Prose';

test('a text that tells an instant needs no second one', () => {
  const text = 'its next instant is 2026-11-27T02:30:00.000Z';
  expect(tells(text, '2026-11-27T02:30:00Z')).toBe(true);
  expect(tells(text, '2026-11-27T02:31:00Z')).toBe(false);
  expect(tells(text, undefined)).toBe(false);
});
