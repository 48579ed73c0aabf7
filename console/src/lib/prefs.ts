import { createStore, useStore } from './store';

export type Theme = 'system' | 'light' | 'dark';
export type Language = 'en' | 'zh';
export type ZoneChoice = 'user' | 'job' | 'utc';
export type Density = 'compact' | 'regular' | 'comfortable';

/** What one person prefers, kept in the browser. */
export interface Prefs {
  theme: Theme;
  language: Language;
  zone: ZoneChoice;
  /** Zone that stands for "mine"; empty: the browser's. */
  userZone: string;
  density: Density;
  /** Whether single keys act (WCAG 2.1.4). */
  singleKeys: boolean;
  railCollapsed: boolean;
  namespace: string;
  /** Page to begin with; `view:PAGE:NAME` is a saved view. */
  landing: 'dashboard' | 'jobs' | 'runs' | `view:${string}`;
}

const KEY = 'mainspring.prefs';

export function defaults(languages: readonly string[]): Prefs {
  return {
    theme: 'system',
    language: languages.find((language) => /^(zh|en)/i.test(language))?.toLowerCase().startsWith('zh') ? 'zh' : 'en',
    zone: 'user',
    userZone: '',
    density: 'regular',
    singleKeys: true,
    railCollapsed: false,
    namespace: 'default',
    landing: 'dashboard',
  };
}

/** Reads what was kept; members of the wrong type are passed over. */
export function parsePrefs(text: string | null, base: Prefs): Prefs {
  let kept: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value === 'object' && value !== null) kept = value as Record<string, unknown>;
  } catch {
    return base;
  }
  const out: Record<string, unknown> = { ...base };
  for (const key of Object.keys(base) as (keyof Prefs)[]) {
    if (typeof kept[key] === typeof base[key]) out[key] = kept[key];
  }
  return out as unknown as Prefs;
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const prefs = createStore<Prefs>(parsePrefs(read(), defaults(navigator.languages ?? [])));

prefs.subscribe(() => {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs.get()));
  } catch {
    // Private windows may refuse: the choice then lasts as long as the page.
  }
});

// Another tab of the same browser changed something.
addEventListener('storage', (event) => {
  if (event.key === KEY) prefs.set(parsePrefs(event.newValue, prefs.get()));
});

export function usePref<K extends keyof Prefs>(key: K): [Prefs[K], (value: Prefs[K]) => void] {
  const all = useStore(prefs);
  return [all[key], (value) => prefs.set((before) => ({ ...before, [key]: value }))];
}

export const browserZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Keeps the theme and the density on the root element, where the tokens look. */
export function followAppearance(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const { theme, density, language } = prefs.get();
    const root = document.documentElement;
    root.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    root.dataset.density = density;
    root.lang = language === 'zh' ? 'zh-CN' : 'en';
  };
  apply();
  dark.addEventListener('change', apply);
  prefs.subscribe(apply);
}
