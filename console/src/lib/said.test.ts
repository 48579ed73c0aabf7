import { expect, test } from 'vitest';
import { sentences as said } from '../i18n/zh/sentences';
import { say } from './said';

const zh = (code: string, text: string) => say(said, code, text);

test('a sentence is said with its values', () => {
  expect(zh('no_slot', 'all 8 slots of the node that answers are taken')).toBe('应答节点的 8 个槽位已全部占用');
  expect(zh('final', 'it is over, failed at 2026-11-26T10:00:00Z: exit code 7')).toBe('已结束（失败，2026-11-26T10:00:00Z）：exit code 7');
  expect(zh('awaits_tasks', 'waits for load, clean (rule all_success)')).toBe('等待 load, clean（规则 all_success）');
  expect(zh('job_paused', 'the job is paused, and none of its triggers fires, since 2026-11-26T10:00:00Z, by ann, with the access token: disk: full')).toBe('作业自 2026-11-26T10:00:00Z 起被 ann, with the access token 暂停，所有触发器都不触发：disk: full');
});

test('what follows a sentence is said, too', () => {
  expect(zh('queue_paused', 'the queue gpu is paused; it ends by itself if it has not started by 2026-11-27T00:00:00Z')).toBe('队列 gpu 已暂停；若到 2026-11-27T00:00:00Z 仍未开始，将自行结束');
  expect(zh('not_before', 'attempt 2 failed; the next one does not start before 2026-11-27T00:00:00Z')).toBe('第 2 次尝试失败；下一次在 2026-11-27T00:00:00Z 之前不会开始');
  expect(zh('job_limit', '2 runs are unfinished; 1 run is held, to start before it; the end of 1 run was asked for')).toBe('有 2 个运行未结束；另有 1 个被挂起的运行排在它之前；其中 1 个已被要求结束');
});

test('what is not known stays as it was said', () => {
  for (const [code, text] of [['no_slot', 'a sentence of tomorrow'], ['a_code_of_tomorrow', 'all 8 slots of the node that answers are taken'], ['queue_paused', 'the queue gpu is paused; and more']] as const) {
    expect(zh(code, text)).toBe(text);
  }
});

test('each sentence is one that the server has', async () => {
  // The types of the console are those of a browser.
  const fs = await import('node:fs' as string);
  const path = await import('node:path' as string);
  const crates = path.resolve('../crates');
  const source = ['mainspring-server/src', 'mainspring-core/src/workflow']
    .flatMap((folder) => fs.readdirSync(`${crates}/${folder}`, { recursive: true }).map((name: string) => `${crates}/${folder}/${name}`))
    .filter((name) => name.endsWith('.rs'))
    .map((name) => fs.readFileSync(name, 'utf8'))
    .join('\n');
  // Runs of plain words: values and numbers stand between them.
  const plain = (reads: RegExp) => [...reads.source.replace(/\\/g, '').matchAll(/[a-z][a-z ]{2,}[a-z]/g)].map(([words]) => words.replace(/^runs? | tasks?$| items?$/g, ''));
  for (const [reads] of [...said.after, ...Object.values(said.byCode).flat()]) {
    expect(plain(reads).some((words) => source.includes(words)), reads.source).toBe(true);
  }
});
