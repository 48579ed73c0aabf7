export const help = {
  up: 'Row above',
  down: 'Row below',
  select: 'Select the row',
  off: 'Single keys are switched off in the settings.',
  text: 'Keys are ignored while you type. What destroys something always asks first.',
  then: 'then',
};
