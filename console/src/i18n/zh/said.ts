import { advise, say, unanswered } from '@/lib/said';
import type { Told, said as en } from '../en/said';
import { alertWords, otherAlerts } from './alertWords';
import { codes } from './codes';
import { errors } from './errors';
import { failed, failures } from './failures';
import { flows } from './flowWhys';
import { hints } from './hints';
import { sentences } from './sentences';

const zh: typeof en = {
  /** A sentence whose wording is not known is told by its code, with the details as they are. */
  say: (code: string, text: string) => {
    const own = unanswered(errors, code, text);
    if (own) return own;
    const told = say(sentences, code, text);
    const title = codes[code];
    return told === text && title ? `${title}：${text}` : told;
  },
  hint: (text: string) => advise(hints, text),
  flow: (text: string) => {
    const [, lacks] = /^it starts when it can run: ([\s\S]+)$/.exec(text) ?? [];
    return advise(flows, text.replace(lacks ?? '', lacks?.split('; ').map((each) => advise(flows, each)).join('；') ?? ''));
  },
  failure: (text: string) => {
    const [, code, rest] = /^([a-z]+\.[a-z_]+)(?:: ([\s\S]+))?$/.exec(text) ?? [];
    const title = code && failures[code];
    if (!title) return advise(failed, text);
    if (rest === undefined) return title;
    const told = advise(failed, rest);
    // What is told of a call says the same as its code.
    return code.startsWith('http.') && told !== rest ? told : `${title}：${told}`;
  },
  subject: (text: string) => {
    const [, job, still, well, what] = /^(\S+?)(?:( still)|( is well again, after))?: (.+)$/.exec(text) ?? [];
    if (job === undefined || what === undefined) return advise(otherAlerts, text);
    const told = advise(alertWords, what);
    return well ? `${job} 已恢复，此前：${told}` : `${job}${still ? ' 仍然' : ''}：${told}`;
  },
  delivery: (text: string) => {
    const [, code, rest] = /^([a-z]+\.[a-z_]+): ([\s\S]+)$/.exec(text) ?? [];
    const title = code && codes[code];
    return title && rest !== undefined ? `${title}：${advise(failed, rest)}` : zh.failure(text);
  },
  both: ({ code, message, hint }: Told) => (hint ? `${zh.say(code, message)}。${zh.hint(hint)}` : zh.say(code, message)),
};

export { zh as said };
