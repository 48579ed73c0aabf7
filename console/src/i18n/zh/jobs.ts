import type { jobs as en } from '../en/jobs';

export const jobs: typeof en = {};
