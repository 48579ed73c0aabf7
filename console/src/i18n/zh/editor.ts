import type { editor as en } from '../en/editor';

export const editor: typeof en = {};
