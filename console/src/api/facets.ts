import { askedBy, quoted } from '@/lib/query';
import { api, ask } from './client';

const SHOWN = 10;

/** Words that may stand where the cursor is in a query of a list, from what the server holds. */
export async function complete(page: 'jobs' | 'runs', namespace: string, word: string, signal: AbortSignal): Promise<string[]> {
  const { before, field, prefix } = askedBy(word);
  const query = { page, prefix, ...(field ? { field } : {}), ...(namespace === '-' ? {} : { namespace }) };
  const { values } = await ask(api.GET('/api/v1/facets', { params: { query }, signal }));
  return values.slice(0, SHOWN).map(({ value }) => (field ? `${before}${quoted(value)}` : `${before}${value}:`));
}
