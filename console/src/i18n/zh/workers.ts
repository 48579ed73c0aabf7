import type { workers as en } from '../en/workers';

export const workers: typeof en = {};
