import { exactText } from '@/api/client';
import { download } from '@/lib/download';
import { type Json, member, parseExact, printExact } from '@/lib/json';
import { fillPath } from '@/lib/commands';
import type { Target } from './selection';

/** Saves chosen jobs as job files that `mainspring apply` takes back: one file a namespace. */
export async function exportJobs(targets: readonly Target[]): Promise<void> {
  // Writing YAML takes a library that the list does not need otherwise.
  const { fromJson } = await import('../editor/document');
  for (const { namespace, names } of targets) {
    const bundle = parseExact(await exactText(fillPath('/api/v1/namespaces/{namespace}/export', { namespace })));
    download(`jobs-${namespace}.yaml`, 'application/yaml', fromJson(printExact(chosen(bundle, namespace, new Set(names)))));
  }
}

/** The bundle with the named jobs alone. */
export function chosen(bundle: Json, namespace: string, names: ReadonlySet<string>): Json {
  const jobs = member(bundle, 'jobs');
  const items = jobs?.kind === 'array' ? jobs.items : [];
  const isNamed = (job: Json) => {
    const name = member(job, 'name');
    return name?.kind === 'string' && names.has(name.value);
  };
  return { kind: 'object', members: [['namespace', { kind: 'string', value: namespace }], ['jobs', { kind: 'array', items: items.filter(isNamed) }]] };
}
