import type { glue as en } from '../en/glue';

export const glue: typeof en = {
  script: '脚本',
  versions: '脚本版本',
  none: '还没有版本。首次保存时会保留。',
  current: '当前运行',
  runsNow: '新开始的运行会使用此脚本。',
  unsaved: '所写内容尚未保存。',
  overtaken: '在此期间有人保存了此脚本',
  begunFrom: '您开始编辑时的脚本',
  discard: '放弃修改',
  reviewText: '保存后开始的运行会使用新脚本，原脚本保留为一个版本。',
  remark: '备注',
  remarkHint: '改了什么，供以后查看版本的人参考。',
  saved: (n: string) => `已保存为版本 ${n}。`,
  compare: (n: string) => `版本 ${n} 与当前运行的脚本`,
  rollBack: '回滚',
  rollBackTitle: (n: string) => `回滚到版本 ${n}？`,
  rollBackText: '其脚本将保存为新版本，新开始的运行会使用它。中间的版本保留。',
  rolledBack: (n: string, made: string) => `版本 ${n} 已恢复运行，成为版本 ${made}。`,
};
