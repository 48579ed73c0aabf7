import type { approvals as en } from '../en/approvals';

export const approvals: typeof en = {
  what: '审批',
  asked: '审批事项',
  who: '审批人',
  anybody: '所有人',
  since: '等待自',
  until: '截止',
  noLimit: '无期限',
  find: '按文字、作业或任务查找',
  emptyText: '没有等待决定的事项。工作流的任务这样请求审批：',
  more: (n: string) => `显示了 ${n} 项，处理后显示其余。`,
  waiting: (n: string) => `${n} 项等待决定`,
  as: '审批身份',
  asHint: '与任务一同保存。服务器无法核实您的身份。',
  done: { approve: '已批准。', reject: '已拒绝。' },
  onTimeout: { fail: '届时任务失败。', skip: '届时跳过。', approve: '届时视为批准。' },
};
