import { useParams } from '@tanstack/react-router';
import { prefs } from '@/lib/prefs';
import { useStore } from '@/lib/store';

/** Returns the namespace of the address, or the last one on pages that have none. */
export function useNamespace(): string {
  const { ns } = useParams({ strict: false });
  const { namespace } = useStore(prefs);
  return ns ?? namespace;
}
