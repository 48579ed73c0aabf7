import type { match as en } from '../en/match';

export const match: typeof en = {
  title: '谁可以执行',
  text: '哪些服务器和工作节点可以领取它的下一次运行，其他为什么不行。',
  show: '查询',
  hide: '收起',
  count: (now: string, all: string) => `共 ${all} 个，其中 ${now} 个现在可以领取。`,
  fits: { now: '可以', later: '稍后', no: '不可以', unknown: '未知' },
  worker: '工作节点',
  server: '服务器',
};
