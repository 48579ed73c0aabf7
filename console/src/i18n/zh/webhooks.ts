import type { webhooks as en } from '../en/webhooks';

export const webhooks: typeof en = {};
