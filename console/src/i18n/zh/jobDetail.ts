import type { jobDetail as en } from '../en/jobDetail';

export const jobDetail: typeof en = {};
