export const cluster = {};
