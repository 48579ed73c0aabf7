import type { queues as en } from '../en/queues';

export const queues: typeof en = {};
