/** Languages of scripts. */
import type { components } from '@/api/schema';

export type ScriptLanguage = components['schemas']['ScriptLanguage'];

export const scriptLanguages = ['shell', 'python', 'node', 'php', 'powershell'] as const satisfies readonly ScriptLanguage[];

export function isLanguage(word: string): word is ScriptLanguage {
  return (scriptLanguages as readonly string[]).includes(word);
}
