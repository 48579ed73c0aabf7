import type { dashboard as en } from '../en/dashboard';

export const dashboard: typeof en = {};
