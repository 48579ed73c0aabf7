import { expect, test } from 'vitest';
import { change, exactValue, fromJson, jsonText, parse, place, toJson } from './document';

const file = `# Nightly
name: report # the name
schedule: "0 2 * * *"
labels:
  team: ops
run: |
  echo one
  echo two
`;

test('a change keeps the comments and the rest', () => {
  const changed = change(file, ['timeout'], '5m');
  expect(changed).toContain('# Nightly');
  expect(changed).toContain('name: report # the name');
  expect(changed).toContain('timeout: 5m');
  expect(changed).toContain('run: |\n  echo one\n  echo two\n');
});

test('taking out the last label takes the labels out', () => {
  expect(change(file, ['labels', 'team'], undefined)).not.toContain('labels');
  expect(change('', ['name'], 'x')).toBe('name: x\n');
});

test('numbers beyond 2^53 reach the API as they were written', () => {
  const text = 'name: x\ninput:\n  id: 9007199254740993\n  rate: 0.10\n';
  expect(toJson(parse(text))).toBe('{"name":"x","input":{"id":9007199254740993,"rate":0.10}}');
  expect(fromJson('{"input":{"id":9007199254740993}}')).toBe('input:\n  id: 9007199254740993\n');
});

test('texts that look like other things stay texts', () => {
  const json = '{"name":"x","env":{"A":"1","B":"true","C":"null","D":"a: b","E":"# no"},"run":"one\\ntwo\\n"}';
  expect(JSON.parse(toJson(parse(fromJson(json))))).toEqual(JSON.parse(json));
});

test('what cannot be read says where', () => {
  const { errors, value } = parse('name: x\n  run: [1,\n');
  expect(value).toBeUndefined();
  expect(errors[0]?.from).toBeGreaterThan(0);
});

test('a pointer leads to its key, or to the nearest parent', () => {
  const parsed = parse(file);
  const range = place(parsed, '/labels/team');
  expect(file.slice(range.from, range.to)).toBe('team');
  const parent = place(parsed, '/labels/none/deeper');
  expect(file.slice(parent.from, parent.to)).toBe('labels');
});

test('a list or a word is no job', () => {
  expect(parse('- 1').value).toBeUndefined();
  expect(parse('').value).toEqual({});
});

test('input is read and written as JSON with every digit', () => {
  const text = '{\n  "id": 9007199254740993,\n  "list": [\n    1,\n    "a"\n  ],\n  "none": {}\n}';
  expect(jsonText(exactValue(text)?.value)).toBe(text);
  expect(jsonText(parse('input: {id: 9007199254740993}').value?.input)).toContain('9007199254740993');
  expect(exactValue('{"a":')).toBeUndefined();
});
