import { createStore } from './store';

/** Whether the server still knows us. A page that is open keeps its state: the shell asks for a new sign-in over it. */
export const session = createStore<'known' | 'ended'>('known');

let signIns = 0;

/** Which sign-in a request goes out under. Taken before it is sent, for `sessionEnded`. */
export function signIn(): number {
  return signIns;
}

export function signedIn(): void {
  signIns += 1;
  session.set('known');
}

/** A request was refused for want of a session. One that went out before the newest sign-in says nothing about it. */
export function sessionEnded(under: number): void {
  if (under === signIns) session.set('ended');
}
