import { say } from '@/lib/said';
import type { said as en } from '../en/said';
import { sentences } from './sentences';

export const said: typeof en = {
  say: (code: string, text: string) => say(sentences, code, text),
};
