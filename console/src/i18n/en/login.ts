export const login = {
  title: 'Sign in',
  withLink: 'Open the link that the server printed when it started, or make a new one:',
  withToken: 'or paste an access token',
  token: 'Access token',
  tokenHint: 'The server keeps it in a file of its data folder. It is sent once and not kept in the browser.',
  submit: 'Sign in',
  working: 'Signing in…',
  codeRefused: 'This link has been used or is older than ten minutes. Make a new one, or paste a token.',
  tokenRefused: 'The server does not know this token.',
};
