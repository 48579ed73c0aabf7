import type { help as en } from '../en/help';

export const help: typeof en = {
  up: '上一行',
  down: '下一行',
  select: '选择该行',
};
