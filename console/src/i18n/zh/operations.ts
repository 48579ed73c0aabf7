import type { operations as en } from '../en/operations';

const did = (word: string) => (jobs: string) => `${word} ${jobs}`;

export const operations: typeof en = {
  action: '操作',
  state: '状态',
  progress: '进度',
  started: '开始',
  took: '耗时',
  id: 'ID',
  error: '错误',
  all: '全部批量操作',
  cancel: '取消此操作',
  cancelling: '取消中',
  failed: (n: string) => `${n} 个失败`,
  errors: (n: string, shown: string) => (n === shown ? `${n} 个作业失败` : `${n} 个作业失败；显示前 ${shown} 个`),
  emptyText: '对多个作业同时执行的操作在此保留一周。请在作业列表中选择作业后开始。',
  actions: { pause: '暂停', resume: '恢复', run: '运行', cancel: '取消运行', delete: '删除', label: '标签', rerun: '重新运行' },
  doing: { pause: did('正在暂停'), resume: did('正在恢复'), run: did('正在启动'), cancel: did('正在取消运行：'), delete: did('正在删除'), label: did('正在修改标签：'), rerun: did('正在重新运行') },
  did: { pause: did('已暂停'), resume: did('已恢复'), run: did('已启动'), cancel: did('已取消运行：'), delete: did('已删除'), label: did('已修改标签：'), rerun: did('已重新运行') },
  by: '操作者',
  runCount: (_: number, count: string) => `${count} 个运行`,
  states: { planned: '计划', running: '进行中', done: '完成', cancelled: '已取消', interrupted: '已中断：所在节点停止', unknown: '未知' },
};
