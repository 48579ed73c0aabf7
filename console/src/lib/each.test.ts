import { expect, test } from 'vitest';
import { forEach } from './each';

test('what fails does not stop the others', async () => {
  const seen: number[] = [];
  const result = await forEach(
    ['a', 'b', 'c', 'd', 'e', 'f'],
    async (name) => {
      if (name === 'b') throw new Error('no');
    },
    (finished) => seen.push(finished),
  );
  expect(result.done.sort()).toEqual(['a', 'c', 'd', 'e', 'f']);
  expect(result.failed.map(({ name, error }) => [name, error.message])).toEqual([['b', 'no']]);
  expect(seen.at(-1)).toBe(6);
});

test('a few are under way at a time, never all', async () => {
  let now = 0;
  let most = 0;
  await forEach(Array.from({ length: 50 }, String), async () => {
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });
  expect(most).toBeLessThanOrEqual(4);
});
