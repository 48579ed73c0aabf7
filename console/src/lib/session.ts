import { createStore } from './store';

/** Whether the server still knows us. A page that is open keeps its state: the shell asks for a new sign-in over it. */
export const session = createStore<'known' | 'ended'>('known');

export function sessionEnded(): void {
  session.set('ended');
}
