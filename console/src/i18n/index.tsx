import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, prefs } from '@/lib/prefs';
import { useStore } from '@/lib/store';
import { formatDistance, formatDuration } from '@/lib/time';
import { type Dictionary, en } from './en';

export type { Dictionary };

interface Words {
  language: Language;
  t: Dictionary;
}

const Context = createContext<Words>({ language: 'en', t: en });

/** Returns the dictionary of a language; Chinese arrives only when somebody reads it. */
export async function loadDictionary(language: Language): Promise<Words> {
  return { language, t: language === 'zh' ? (await import('./zh')).zh : en };
}

export function WordsProvider({ initial, children }: { initial: Words; children: ReactNode }) {
  const { language } = useStore(prefs);
  const [words, setWords] = useState(initial);
  useEffect(() => {
    let current = true;
    // A dictionary that cannot be fetched leaves the language as it is.
    loadDictionary(language).then((next) => current && setWords(next), () => undefined);
    return () => {
      current = false;
    };
  }, [language]);
  return <Context value={words}>{children}</Context>;
}

/** Returns the words of the language that is shown. */
export function useT(): Dictionary {
  return useContext(Context).t;
}

export interface Formats {
  language: Language;
  number(value: number): string;
  /** A share of one, as per cent. */
  percent(share: number): string;
  bytes(value: number): string;
  duration(ms: number): string;
  /** `in 12 m`, `3 h ago`. */
  relative(ms: number, now: number): string;
  list(words: readonly string[]): string;
}

const tags = { en: 'en-GB', zh: 'zh-CN' } as const;

export function makeFormats(language: Language, t: Dictionary): Formats {
  const number = new Intl.NumberFormat(tags[language]);
  const short = new Intl.NumberFormat(tags[language], { maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(tags[language], { style: 'percent', maximumFractionDigits: 1 });
  const list = new Intl.ListFormat(tags[language], { type: 'conjunction' });
  return {
    language,
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    bytes: (value) => {
      const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
      const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
      return `${short.format(value / 1024 ** step)} ${units[step]}`;
    },
    duration: (ms) => formatDuration(ms, t.time.units),
    relative: (ms, now) => {
      if (!Number.isFinite(ms)) return '—';
      if (Math.abs(ms - now) < 1000) return t.time.now;
      const distance = formatDistance(ms - now, t.time.units);
      return ms > now ? t.time.in(distance) : t.time.ago(distance);
    },
    // Names are mostly Latin: 和 without spaces would run into them.
    list: (words) => (language === 'zh' ? words.join('、') : list.format(words)),
  };
}

export function useFormats(): Formats {
  const { language, t } = useContext(Context);
  return useMemo(() => makeFormats(language, t), [language, t]);
}
