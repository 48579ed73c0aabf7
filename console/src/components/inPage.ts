import { createContext } from 'react';

/** Whether something stands below a page's title: what stands in place of a page has to be its title. */
export const InPage = createContext(false);
