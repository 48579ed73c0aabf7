export const time = {
  units: { ms: 'ms', s: 's', m: 'm', h: 'h', d: 'd', gap: ' ' },
  in: (distance: string) => `in ${distance}`,
  ago: (distance: string) => `${distance} ago`,
  now: 'now',
  relative: 'From now',
  utc: 'UTC',
  jobZone: 'Job',
  mine: 'Here',
  iso: 'ISO',
  clockSkew: (distance: string) => `clock skew ${distance}`,
};
