import { expect, test } from 'vitest';
import { csv } from './csv';

test('cells are quoted where they need it, and no spreadsheet computes them', () => {
  const rows = [['a,b', 'say "hi"', 'two\nlines'], ['=1+1', '@x', -5], [null, undefined, { a: 1 }]];
  expect(csv(['x', 'y', 'z'], rows)).toBe(
    'x,y,z\r\n"a,b","say ""hi""","two\nlines"\r\n\'=1+1,\'@x,-5\r\n,,"{""a"":1}"\r\n',
  );
});
