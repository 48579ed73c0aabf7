export const jobDetail = {};
