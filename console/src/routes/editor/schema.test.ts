import { expect, test } from 'vitest';
import { flowSchema } from '../flows/flowSchema';
import { jobSchema } from './jobSchema';
import { pathAt } from './schema';

const { keysAt, valuesAt } = jobSchema;

const words = (list: { word: string }[]) => list.map(({ word }) => word);

test('keys of a job and of its parts come from the schema', () => {
  expect(words(keysAt([]))).toContain('schedule');
  expect(words(keysAt(['http']))).toContain('url');
  expect(words(keysAt(['triggers']))).toContain('daily_window');
  expect(keysAt([]).find(({ word }) => word === 'timeout')?.about).toMatch(/attempt/);
});

test('words that a key takes are listed', () => {
  expect(words(valuesAt(['overlap']))).toContain('queue_one');
  expect(words(valuesAt(['noop']))).toEqual(['true', 'false']);
});

test('a flow has keys and words of its own', () => {
  expect(words(flowSchema.keysAt([]))).toEqual(expect.arrayContaining(['flow', 'components', 'connections']));
  expect(words(flowSchema.keysAt(['components', 'work']))).toContain('event');
  expect(words(flowSchema.keysAt(['components', 'first', 'generate']))).toContain('payload');
  expect(words(flowSchema.keysAt(['connections']))).toContain('max_items');
  expect(words(flowSchema.keysAt([]))).not.toContain('tasks');
  expect(words(flowSchema.valuesAt(['components', 'work', 'event']))).toEqual(['true', 'false']);
});

test('the path of a line follows its indentation', () => {
  const lines = ['name: x', 'http:', '  url: y', '  ', 'triggers:', '  - cron: z', '    '];
  expect(pathAt(lines, 3)).toEqual(['http']);
  expect(pathAt(lines, 6)).toEqual(['triggers']);
  expect(pathAt(lines, 0)).toEqual([]);
});
