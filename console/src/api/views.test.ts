import { expect, test } from 'vitest';
import { isShown, searchOfView } from './views';

test('a view is the search of a list, and the other way round', () => {
  const view = { query: 'state:failing', sort: '-last', columns: ['name', 'queue'], group: 'label:team' };
  expect(searchOfView(view)).toEqual({ q: 'state:failing', sort: '-last', cols: ['name', 'queue'], group: 'label:team' });
  expect(isShown(view, searchOfView(view))).toBe(true);
  expect(isShown(view, { ...searchOfView(view), sort: undefined })).toBe(false);
  expect(isShown(view, { ...searchOfView(view), group: undefined })).toBe(false);
  expect(isShown({ query: null, columns: [] }, { q: '' })).toBe(true);
});
