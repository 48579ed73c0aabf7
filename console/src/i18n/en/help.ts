export const help = {
  up: 'Row above',
  down: 'Row below',
  select: 'Select the row',
};
