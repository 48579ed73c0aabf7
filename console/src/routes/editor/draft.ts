/** Text that was not saved yet, kept in the browser: a page that is closed, or a sign-in that ends, loses nothing. */

export interface Draft {
  text: string;
  /** Version that it began with; 0 for a new job. */
  version: number;
  at: number;
}

const key = (namespace: string, job: string) => `mainspring.draft.${namespace}/${job}`;

export function readDraft(namespace: string, job: string): Draft | undefined {
  try {
    const value = JSON.parse(localStorage.getItem(key(namespace, job)) ?? 'null') as Partial<Draft> | null;
    if (typeof value?.text !== 'string' || typeof value.version !== 'number' || typeof value.at !== 'number') return undefined;
    return value as Draft;
  } catch {
    return undefined;
  }
}

export function keepDraft(namespace: string, job: string, draft: Draft): void {
  try {
    localStorage.setItem(key(namespace, job), JSON.stringify(draft));
  } catch {
    // No room, or none allowed: the text is still in the page.
  }
}

export function dropDraft(namespace: string, job: string): void {
  try {
    localStorage.removeItem(key(namespace, job));
  } catch {
    // As above.
  }
}
