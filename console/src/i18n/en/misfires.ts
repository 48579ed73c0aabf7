export const misfires = {};
