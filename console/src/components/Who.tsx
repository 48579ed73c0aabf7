import { useT } from '@/i18n';
import { whoOf } from '@/lib/who';

/** Who did something, as far as the server knows, in the reader's language. */
export function Who({ by }: { by: string }) {
  const t = useT();
  const { name, way } = whoOf(by);
  if (!way) return <>{name}</>;
  return <>{name === undefined ? t.common.ways[way] : t.common.whoWith(name, t.common.ways[way])}</>;
}
