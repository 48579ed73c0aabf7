import type { calendars as en } from '../en/calendars';

export const calendars: typeof en = {};
