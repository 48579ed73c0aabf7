import type { cluster as en } from '../en/cluster';

export const cluster: typeof en = {};
