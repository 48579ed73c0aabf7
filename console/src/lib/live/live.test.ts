import { expect, test } from 'vitest';
import { changesOf, known } from './hub';
import { type Message, Parser } from './sse';

function read(...chunks: string[]): { messages: Message[]; beats: number } {
  const messages: Message[] = [];
  let beats = 0;
  const parser = new Parser(
    (message) => messages.push(message),
    () => (beats += 1),
  );
  for (const chunk of chunks) parser.push(chunk);
  return { messages, beats };
}

const stream = 'event: change\nid: 7\ndata: {"topic":"runs"}\n\n: beat\n\nevent: resync\ndata: {}\n\n';

test('messages come out whole, wherever the chunks break', () => {
  const whole = read(stream);
  expect(whole.messages).toEqual([
    { event: 'change', data: '{"topic":"runs"}', id: '7' },
    { event: 'resync', data: '{}', id: '7' },
  ]);
  expect(whole.beats).toBe(1);
  for (let at = 1; at < stream.length; at += 1) expect(read(stream.slice(0, at), stream.slice(at))).toEqual(whole);
});

test('carriage returns end lines too, also at the end of a chunk', () => {
  expect(read('data: a\r', '\n\r\n').messages).toEqual([{ event: 'message', data: 'a', id: '' }]);
});

test('data of several lines is joined, and a message without data is none', () => {
  expect(read('data: a\ndata: b\n\n').messages[0]?.data).toBe('a\nb');
  expect(read('event: change\n\n').messages).toEqual([]);
});

test('what is no change is passed over', () => {
  const message = (data: string): Message => ({ event: 'change', data, id: '1' });
  expect(changesOf(message('{"topic":"runs","id":"9"}'))).toEqual([{ topic: 'runs', id: '9' }]);
  for (const data of ['', 'x', 'null', '[]', '{}', '{"topic":1}']) expect(changesOf(message(data))).toEqual([]);
});

test('figures are a change of their topic', () => {
  expect(changesOf({ event: 'stats', data: '{"running":3}', id: '' })).toEqual([{ topic: 'stats', patch: { running: 3 } }]);
});

test('only topics that the server knows are asked for, each once', () => {
  expect(known(['runs', 'job:default/a.b-c', 'run:01a2', 'runs', 'run:', 'job:-/x', 'weather', 'job:x'])).toEqual(['job:default/a.b-c', 'run:01a2', 'runs']);
  expect(known(Array.from({ length: 150 }, (_, n) => `run:${n}`))).toHaveLength(100);
});
