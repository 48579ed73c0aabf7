import { advise, say } from '@/lib/said';
import type { Told, said as en } from '../en/said';
import { codes } from './codes';
import { failed, failures } from './failures';
import { flows } from './flowWhys';
import { hints } from './hints';
import { sentences } from './sentences';

const zh: typeof en = {
  /** A sentence whose wording is not known is told by its code, with the details as they are. */
  say: (code: string, text: string) => {
    const told = say(sentences, code, text);
    const title = codes[code];
    return told === text && title ? `${title}：${text}` : told;
  },
  hint: (text: string) => advise(hints, text),
  flow: (text: string) => advise(flows, text),
  failure: (text: string) => {
    const [, code, rest] = /^([a-z]+\.[a-z_]+)(?:: ([\s\S]+))?$/.exec(text) ?? [];
    const title = code && failures[code];
    if (!title) return advise(failed, text);
    return rest === undefined ? title : `${title}：${advise(failed, rest)}`;
  },
  both: ({ code, message, hint }: Told) => (hint ? `${zh.say(code, message)}。${zh.hint(hint)}` : zh.say(code, message)),
};

export { zh as said };
