export const queues = {};
