import type { palette as en } from '../en/palette';

export const palette: typeof en = {
  placeholder: '作业、运行 ID、页面或操作',
  nothing: '没有这样的名称。',
  pages: '页面',
  jobs: '作业',
  runs: '运行',
  actions: '操作',
  openRun: (id: string) => `打开运行 ${id}`,
  findJobs: (q: string) => `搜索作业 ${q}`,
  newJob: '新建作业',
  light: '浅色主题',
  dark: '深色主题',
  english: 'English',
  chinese: '简体中文',
  utc: '以 UTC 显示时间',
  myZone: '以我的时区显示时间',
  pause: '暂停实时更新',
  resume: '恢复实时更新',
};
