import { expect, test } from 'vitest';
import { asEdited, asKept } from './lines';

test('what is not edited is as it was, whatever its lines end with', () => {
  for (const text of ['', 'a', 'a\n', 'a\r\nb\r\n', 'a\r\nb\nc\rd', '\r\n\r\n', '\n\r\n\r']) {
    expect(asEdited(text)).not.toContain('\r');
    expect(asKept(asEdited(text), text)).toBe(text);
  }
});

test('lines that are written end as most others do', () => {
  const before = 'one\r\ntwo\r\nthree\n';
  expect(asKept('one\nnew\ntwo\nthree\n', before)).toBe('one\r\nnew\r\ntwo\r\nthree\n');
  expect(asKept('one\ntwo\nthree\nfour', before)).toBe('one\r\ntwo\r\nthree\nfour');
  expect(asKept('one\nthree\n', before)).toBe('one\r\nthree\n');
  expect(asKept('a\nb', 'x')).toBe('a\nb');
  expect(asKept('x\ny\n', 'x')).toBe('x\ny\n');
});
