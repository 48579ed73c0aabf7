/** Puts a word into a list that an address keeps, or takes it out; no list when nothing is left. */
export function toggled(words: readonly string[], word: string): string[] | undefined {
  const next = words.includes(word) ? words.filter((one) => one !== word) : [...words, word];
  return next.length > 0 ? next : undefined;
}
