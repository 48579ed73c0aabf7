export const editor = {};
