import { expect, test } from 'vitest';
import { changesOf, known } from './hub';
import { Place } from './place';
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

test('a stream with more topics goes on from where their data was fetched, and not from what other topics brought since', () => {
  const place = new Place();
  expect(place.isNew).toBe(true);
  expect(place.begin()).toBe('');
  place.heard('7');
  place.hold();
  place.heard('9');
  place.hold();
  place.heard('');
  expect(place.begin()).toBe('7');
  // Tried again, as nothing came.
  expect(place.begin()).toBe('7');
  place.heard('12');
  place.hold();
  place.heard('13');
  place.drop();
  expect(place.begin()).toBe('13');
  place.forget();
  expect(place.begin()).toBe('');
});
