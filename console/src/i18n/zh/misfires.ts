import type { misfires as en } from '../en/misfires';

export const misfires: typeof en = {};
