import { expect, test } from 'vitest';
import { dropCommand, placeCommand } from './order';

test('the command line has a word for each end of a queue', () => {
  expect(placeCommand('r1', 'first').cli).toEqual(['queue', 'top', 'r1']);
  expect(placeCommand('r1', 'last')).toEqual({ cli: ['queue', 'requeue', 'r1'], http: { method: 'POST', path: '/api/v1/runs/r1/place', body: { to: 'last' } } });
  expect(dropCommand('r1').http.path).toBe('/api/v1/runs/r1/drop');
});
