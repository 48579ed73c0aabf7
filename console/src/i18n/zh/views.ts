import type { views as en } from '../en/views';

export const views: typeof en = {
  menu: '视图',
  none: '没有已保存的视图。设置搜索、排序、列和分组后，可按名称保存。',
  save: '另存为视图…',
  update: (name: string) => `保存对 ${name} 的更改`,
  remove: (name: string) => `删除 ${name}`,
  removeTitle: (name: string) => `删除视图 ${name}？`,
  removeText: '所有登录的用户共用视图。作业和运行不受影响。',
  begin: '打开控制台时从此视图开始',
  saveTitle: '保存此视图',
  saveText: '保存搜索、排序、列和分组，供所有登录的用户使用。',
  name: '名称',
  taken: '同名视图已存在，将被替换。',
  saved: (name: string) => `已保存视图 ${name}`,
  removed: (name: string) => `已删除视图 ${name}`,
  view: (name: string) => `视图 ${name}`,
};
