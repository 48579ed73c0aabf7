import type { errors as en } from '../en/errors';

export const errors: typeof en = {
  loading: (what: string) => `无法加载${what}`,
  action: (what: string) => `${what}未成功`,
  noAnswer: '服务器没有响应。它可能正在重启，或网络中断。',
  unexpected: (status: string) => `收到的响应并非来自服务器（HTTP ${status}）。中间可能有代理。`,
  staleData: '当前显示的是之前的数据。',
  forbiddenTitle: '您无权查看',
  forbiddenText: '您的登录缺少相应权限，请联系有权限的人。',
  missingTitle: (what: string) => `${what}不存在`,
  missingText: '它可能已被删除、改名，或因保留期限而被清除。',
  emptyTitle: (what: string) => `还没有${/^[A-Za-z]/.test(what) ? ' ' : ''}${what}`,
  noMatchTitle: '没有匹配项',
  noMatchText: '请去掉一个筛选条件，或检查拼写。',
  hint: '提示',
  at: (line: string, column: string) => `第 ${line} 行，第 ${column} 列`,
};
