import { createContext } from 'react';

/** Whether something stands in the frame, whose content is the page's main landmark. */
export const InFrame = createContext(false);
