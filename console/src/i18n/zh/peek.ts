import type { peek as en } from '../en/peek';

export const peek: typeof en = {
  label: (name: string) => `${name} 概要`,
  close: '关闭面板',
  open: '显示概要',
  above: '上一行',
  below: '下一行',
  lastRuns: '最近的运行',
  lastFailure: '最近一次失败',
  noFailure: (n: number) => (n === 1 ? '最近一次运行没有失败。' : `最近 ${n} 次运行都没有失败。`),
  openLog: '打开失败日志',
  nextFire: '下次触发',
  logEnd: '日志末尾',
  noLog: '没有写入任何内容。',
  errorLine: (line: string) => `首个错误，第 ${line} 行`,
  pausedBecause: (reason: string) => `已暂停：${reason}`,
};
