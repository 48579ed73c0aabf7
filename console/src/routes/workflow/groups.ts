/** Groups of tasks: a task stands for each in the graph, and needs its members. Pure, and reads what is being written: it may be anything. */

/** The most groups that lie in each other. */
const DEEP_MAX = 10;

type Written = Record<string, unknown>;

const record = (given: unknown): Written => (typeof given === 'object' && given !== null ? (given as Written) : {});
const list = (given: unknown): unknown[] => [given ?? []].flat();

/** The groups that something lies in, from the inner to the outer one. */
function around(groups: Written, of: unknown): string[] {
  const found: string[] = [];
  let name: unknown = record(of).group;
  while (typeof name === 'string' && Object.hasOwn(groups, name) && found.length < DEEP_MAX) {
    found.push(name);
    name = record(groups[name]).group;
  }
  return found;
}

/** Tasks with one for each group, and with what first tasks need by their groups: those that need no other one of the group. */
export function withGroups(tasks: Written, given: unknown): Written {
  const groups = record(given);
  if (Object.keys(groups).length === 0) return tasks;
  const members = new Map(Object.keys(groups).map((name) => [name, new Set<string>()]));
  for (const [name, task] of Object.entries(tasks)) for (const group of around(groups, task)) members.get(group)?.add(name);
  const isIn = (group: string, name: unknown) => typeof name === 'string' && (members.get(group)?.has(name) === true || around(groups, groups[name]).includes(group));
  const out: Written = {};
  for (const [name, task] of Object.entries(tasks)) {
    const needs = list(record(task).needs);
    for (const group of around(groups, task)) {
      if (needs.some((need) => isIn(group, need))) continue;
      needs.push(...list(record(groups[group]).needs));
    }
    out[name] = around(groups, task).length === 0 ? task : { ...record(task), needs };
  }
  for (const [name, group] of Object.entries(groups)) {
    if (!Object.hasOwn(out, name)) out[name] = { description: record(group).description, needs: [...(members.get(name) ?? [])], joins: true };
  }
  return out;
}
