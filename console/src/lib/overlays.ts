import { createStore } from './store';

/** What lies over the page: the command palette, the list of keys. */
export const overlay = createStore<'palette' | 'help' | undefined>(undefined);
