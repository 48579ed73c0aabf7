import type { KeyBinding } from '@/lib/keys';

/** Bindings by group, in the order in which groups come; of one key the last binding counts, as it does when pressed. */
export function groupsOf(all: readonly KeyBinding[]): [string, KeyBinding[]][] {
  const last = new Map(all.map((binding) => [binding.keys, binding]));
  const groups = new Map<string, KeyBinding[]>();
  for (const binding of last.values()) groups.set(binding.group, [...(groups.get(binding.group) ?? []), binding]);
  return [...groups];
}
