import { expect, test } from 'vitest';
import { type Report, countsOf, itemsOf, jobOf, openPoints, readReport, sharedNotes } from './report';

const text = JSON.stringify({
  release: '3.4',
  apps: { exact: 1, changed: 0, refused: 0 },
  items: [
    { kind: 'app', id: 1, name: 'demo', outcome: 'exact', becomes: 'app demo' },
    { kind: 'job', id: 2, name: 'nightly', outcome: 'changed', becomes: 'job 2-nightly: handler nightly of app demo', notes: ['retries wait 1 s', 'its author is not kept'] },
    { kind: 'job', id: 3, name: 'never', outcome: 'refused', notes: ['the expression never fires (schedule.never)'] },
    { kind: 'job', id: 4, name: 'hourly', outcome: 'changed', notes: ['its author is not kept'] },
    { kind: 'job', id: 5, name: 'newer', outcome: 'mended' },
  ],
  files: ['jobs/demo.yaml'],
});
const report = readReport(text) as Report;

test('a report is read, and what is none is told', () => {
  expect([report.release, report.files, report.items.length]).toEqual(['3.4', ['jobs/demo.yaml'], 4]);
  expect(readReport('{')).toBe('json');
  for (const other of ['[]', 'null', '{"items": {}}', '{"items": [{"id": 1}]}']) expect(readReport(other)).toBe('report');
});

test('what was refused comes first, and a filter leaves what was asked for', () => {
  expect(itemsOf(report, {}).map(({ id }) => id)).toEqual([3, 2, 4, 1]);
  expect(itemsOf(report, { kind: 'job', outcome: 'changed', q: 'AUTHOR 2' }).map(({ id }) => id)).toEqual([2]);
  expect(countsOf(report, 'job')).toEqual({ refused: 1, changed: 2, exact: 0 });
});

test('notes that items share are counted', () => {
  expect(sharedNotes(report, 5)).toEqual([{ note: 'its author is not kept', count: 2 }]);
});

test('a job is found by what it has become', () => {
  expect(report.items.map(jobOf)).toEqual([undefined, '2-nightly', undefined, undefined]);
});

test('open points are a list for a ticket', () => {
  expect(openPoints(itemsOf(report, { q: 'never' }))).toBe('- [ ] job 3 never: refused\n  - the expression never fires (schedule.never)');
});
