import { expect, test } from 'vitest';
import { codes } from '../i18n/zh/codes';
import { failures } from '../i18n/zh/failures';
import { hints } from '../i18n/zh/hints';
import { said as enSaid } from '../i18n/en/said';
import { said as zhSaid } from '../i18n/zh/said';
import { sentences as said } from '../i18n/zh/sentences';
import { advise, say } from './said';

const zh = (code: string, text: string) => say(said, code, text);

test('a sentence is said with its values', () => {
  expect(zh('no_slot', 'all 8 slots of the node that answers are taken')).toBe('应答节点的 8 个槽位已全部占用');
  expect(zh('final', 'it is over, failed at 2026-11-26T10:00:00Z: exit code 7')).toBe('已结束（失败，2026-11-26T10:00:00Z）：exit code 7');
  expect(zh('awaits_tasks', 'waits for load, clean (rule all_success)')).toBe('等待 load, clean（规则 all_success）');
  expect(zh('label_limit', '1 run of jobs and tasks with the label db=main are executed, and no more may be at a time')).toBe('带标签 db=main 的作业和任务正在执行 1 个运行，已达同时上限');
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

test('advice is said with its values, and commands stay as they are', () => {
  expect(advise(hints, 'did you mean "timeout"?')).toBe('是否指“timeout”？');
  expect(advise(hints, 'write state:1 or state>1')).toBe('写成 state:1 或 state>1');
  expect(advise(hints, 'start a worker: mainspring worker --queues gpu, or a server with --queues gpu')).toBe('启动工作节点：mainspring worker --queues gpu，或以 --queues gpu 启动服务器');
  expect(advise(hints, 'mainspring queue resume gpu')).toBe('mainspring queue resume gpu');
});

test('what is not known is told by its code', () => {
  expect(zhSaid.say('schedule.zone', 'unknown time zone `Mars/Base`')).toBe('未知的时区：unknown time zone `Mars/Base`');
  expect(zhSaid.both({ code: 'console.no_answer', message: 'Failed to fetch' })).toContain('服务器');
  expect(enSaid.both({ code: 'console.no_answer', message: 'Failed to fetch' })).toContain('does not answer');
  expect(enSaid.say('console.unexpected_answer', 'HTTP 502')).toContain('HTTP 502');
  expect(zhSaid.both({ code: 'field.unknown', message: 'unknown key "timout"', hint: 'did you mean "timeout"?' })).toBe('未知的键“timout”。是否指“timeout”？');
});

test('reasons of a plan to run tasks again are said', () => {
  for (const [text, means] of [
    ['chosen', '已选定'],
    ['failed; its run is cancelled first', '失败；先取消其运行'],
    ['upstream_failed', '上游失败'],
    ['after load, clean', '在 load, clean 之后'],
    ['needed by a, b, c and 4 more', 'a, b, c 等依赖它（另有 4 个）'],
    ['needs load, which is kept as failed: select that too', '依赖 load，其结果保留为失败：请同时选择'],
    ['needs load, clean, which cannot run', '依赖 load, clean，而它无法运行'],
  ] as const) {
    expect(zhSaid.say('rerun_plan', text)).toBe(means);
  }
});

test('messages of alerts are said', async () => {
  const source = await file('mainspring-server/src/alerts/message.rs');
  const subject = source.slice(source.indexOf('fn subject('), source.indexOf('fn facts('));
  const found = [...subject.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text.replace('{count}', '3').replace('{}', '10m'));
  const whats = found.filter((text) => !text.startsWith('{key}'));
  expect(whats.length).toBeGreaterThan(7);
  expect(whats.filter((what) => zhSaid.subject(`pay/roll: ${what}`).includes(what))).toEqual([]);
  expect(zhSaid.subject('pay/roll still: runs longer than 1h')).toBe('pay/roll 仍然：运行时间超过 1h');
  expect(zhSaid.subject('pay/roll is well again, after: 2 runs failed')).toBe('pay/roll 已恢复，此前：2 次运行失败');
  expect(zhSaid.subject('test of the channel ops')).toBe('渠道 ops 的测试');
  expect(zhSaid.delivery('alert.refused: could not connect to http://127.0.0.1:9: Connection refused')).toContain('无法连接 http://127.0.0.1:9：Connection refused');
});

/** One source of the crates, without its tests and comments. */
async function file(name: string): Promise<string> {
  const fs = await import('node:fs' as string);
  const path = await import('node:path' as string);
  const text = (fs.readFileSync(path.resolve('../crates', name), 'utf8') as string).split('#[cfg(test)]\nmod ')[0] ?? '';
  return text.replace(/^\s*\/\/.*$/gm, '');
}

/** All sources of some folders of the crates, without their tests and comments. */
async function sources(...folders: string[]): Promise<string> {
  // The types of the console are those of a browser.
  const fs = await import('node:fs' as string);
  const path = await import('node:path' as string);
  const crates = path.resolve('../crates');
  const names: string[] = folders.flatMap((folder) => fs.readdirSync(`${crates}/${folder}`, { recursive: true }).map((name: string) => `${crates}/${folder}/${name}`));
  const read = (name: string) => (fs.readFileSync(name, 'utf8') as string).split('#[cfg(test)]\nmod ')[0] ?? '';
  const plain = names.filter((name) => name.endsWith('.rs') && !/tests?[./]/.test(name)).map(read);
  return plain.join('\n').replace(/^\s*\/\/.*$/gm, '');
}

test('each code of the server has Chinese, and no other one', async () => {
  const catalogue = await sources('mainspring-api/src');
  const found = [...catalogue.matchAll(/^ {4}[A-Z]\w+ "([a-z_.]+)" \d{3} "/gm)].map(([, code]) => code);
  expect(found.length).toBeGreaterThan(100);
  expect(Object.keys(codes).sort()).toEqual(found.sort());
});

test('each failure of a task has Chinese, and no other one', async () => {
  const found = [...(await sources('mainspring-tasks/src')).matchAll(/\bcode\(\s*"([a-z]+\.[a-z_]+)"/g)].map(([, code]) => code);
  expect(Object.keys(failures).sort()).toEqual(found.sort());
  expect(zhSaid.failure('process.exit: the process exited with code 3')).toBe('进程异常退出：退出代码 3');
  expect(zhSaid.failure('replaced by a newer run')).toBe('replaced by a newer run');
});

test('each advice of the server has Chinese, and no other one', async () => {
  const source = await sources('mainspring-api/src', 'mainspring-server/src', 'mainspring-engine/src/control', 'mainspring-store/src');
  const literal = /(?:\.hint\(|let hint =|hint: (?:Some\()?|"store\.\w+", message,)\s*(?:format!\(\s*)?"((?:[^"\\]|\\[\s\S])*)"/g;
  const bare = (text: string) => text.replace(/\{\w*\}/g, '{}');
  const known = new Set(Object.keys(hints).map(bare));
  const texts = [...source.matchAll(literal)].map(([, text = '']) => text.replace(/\\\n\s*/g, '').replace(/\\(.)/g, '$1'));
  expect(texts.length).toBeGreaterThan(80);
  // Commands alone are the same in every language.
  const isCommand = (text: string) => /^mainspring( [a-z]+)+( (\{.*|--.*|[A-Z/]+))*$/.test(text);
  expect(texts.filter((text) => !isCommand(text) && !advised(text, known))).toEqual([]);
  const said = source.replace(/\\\n\s*/g, '').replace(/\\(.)/g, '$1').replace(/\{\w*\}/g, '{}');
  const words = (wording: string) => bare(wording).split('{}').sort((a, b) => b.length - a.length)[0] ?? '';
  expect([...known].filter((wording) => !said.includes(words(wording)))).toEqual([]);
});

/** Whether a text of the sources is known, or one that is known with its values in it. */
function advised(text: string, known: ReadonlySet<string>): boolean {
  const sample = text.replace(/\{\w*\}/g, 'x');
  return known.has(text.replace(/\{\w*\}/g, '{}')) || advise(hints, sample) !== sample;
}

test('each sentence is one that the server has', async () => {
  const source = await sources('mainspring-server/src', 'mainspring-core/src/workflow', 'mainspring-api/src', 'mainspring-store/src');
  // Runs of plain words: values and numbers stand between them.
  const plain = (reads: RegExp) => [...reads.source.replace(/\\/g, '').matchAll(/[a-z][a-z ]{2,}[a-z]/g)].map(([words]) => words.replace(/^runs? | tasks?$| items?$/g, ''));
  for (const [reads] of [...said.after, ...Object.values(said.byCode).flat()]) {
    expect(plain(reads).some((words) => source.includes(words)), reads.source).toBe(true);
  }
});
