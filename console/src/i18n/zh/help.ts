import type { help as en } from '../en/help';

export const help: typeof en = {
  up: '上一行',
  down: '下一行',
  select: '选择该行',
  off: '单键快捷键已在设置中关闭。',
  text: '输入文字时忽略快捷键。破坏性操作总会先询问。',
  then: '然后',
};
