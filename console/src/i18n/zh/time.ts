import type { time as en } from '../en/time';

export const time: typeof en = {
  units: { ms: '毫秒', s: '秒', m: '分', h: '时', d: '天', gap: ' ' },
  in: (distance: string) => `${distance}后`,
  ago: (distance: string) => `${distance}前`,
  now: '现在',
  relative: '相对',
  utc: 'UTC',
  jobZone: '作业',
  mine: '本地',
  iso: 'ISO',
  clockSkew: (distance: string) => `时钟偏差 ${distance}`,
};
