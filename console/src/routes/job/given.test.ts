import { expect, test } from 'vitest';
import { parseExact } from '@/lib/json';
import { givenOf } from './given';

test('the input of a run fills the form, with every digit', () => {
  const input = parseExact('{"day": "2026-11-26", "id": 12345678901234567890, "dry": true, "more": {"a": 1.50}, "none": null}');
  expect(givenOf(input, ['day', 'id', 'dry', 'none'])).toEqual({ typed: { day: '2026-11-26', id: '12345678901234567890', dry: 'true' }, input: '{\n  "more": {\n    "a": 1.50\n  }\n}' });
  expect(givenOf(input, []).typed).toEqual({});
  expect(givenOf(parseExact('[1]'), ['day'])).toEqual({ typed: {}, input: '[\n  1\n]' });
  for (const nothing of [undefined, parseExact('null'), parseExact('{}')]) expect(givenOf(nothing, ['day'])).toEqual({ typed: {}, input: '' });
});
