/** What the editor completes and explains, from the schema of a file. */

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  $ref?: string;
  oneOf?: Node[];
  anyOf?: Node[];
  items?: Node;
  additionalProperties?: Node | boolean;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
}

export interface Suggestion {
  word: string;
  about: string;
}

/** A schema of files, as the editor asks it. */
export interface FileSchema {
  /** Keys that may stand below a path of keys. */
  keysAt: (path: readonly string[]) => Suggestion[];
  /** Values that may stand at a path, where they are few. */
  valuesAt: (path: readonly string[]) => Suggestion[];
}

/** Reads a JSON Schema whose parts stand in `$defs`. `root` names the part that a file is; without it, the document itself is that. */
export function schemaOf(document: unknown, root?: string): FileSchema {
  const definitions = (document as { $defs: Record<string, Node> }).$defs;
  const whole = root === undefined ? (document as Node) : definitions[root];

  const resolve = (node: Node | undefined): Node | undefined => {
    if (!node?.$ref) return node;
    return { ...definitions[node.$ref.split('/').at(-1) ?? ''], ...(node.description ? { description: node.description } : {}) };
  };
  const variants = (node: Node | undefined): Node[] => {
    const found = resolve(node);
    if (!found) return [];
    return [found, ...(found.oneOf ?? []).flatMap(variants), ...(found.anyOf ?? []).flatMap(variants)];
  };
  const step = (nodes: Node[], key: string): Node[] =>
    nodes.flatMap((node) => {
      const next = node.properties?.[key] ?? (typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined);
      return [...variants(next), ...variants(node.items).flatMap((item) => variants(item.properties?.[key]))];
    });
  const nodesAt = (path: readonly string[]): Node[] => path.reduce(step, variants(whole));

  return {
    keysAt(path) {
      const found = new Map<string, string>();
      for (const node of nodesAt(path).flatMap((each) => [each, ...variants(each.items)])) {
        for (const [word, property] of Object.entries(node.properties ?? {})) found.set(word, resolve(property)?.description ?? '');
      }
      return [...found].map(([word, about]) => ({ word, about }));
    },
    valuesAt(path) {
      const found = new Map<string, string>();
      for (const node of nodesAt(path)) {
        if (typeof node.const === 'string') found.set(node.const, node.description ?? '');
        for (const word of node.enum ?? []) if (typeof word === 'string') found.set(word, '');
        if (node.type === 'boolean' || (Array.isArray(node.type) && node.type.includes('boolean'))) {
          found.set('true', '');
          found.set('false', '');
        }
      }
      return [...found].map(([word, about]) => ({ word, about }));
    },
  };
}

/** Keys above a line of a YAML text, by indentation: outermost first. */
export function pathAt(lines: readonly string[], row: number): string[] {
  const path: string[] = [];
  let indent = indentOf(lines[row] ?? '');
  for (let at = row - 1; at >= 0 && indent > 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.trim().startsWith('#') || indentOf(line) >= indent) continue;
    const key = /^[\s-]*([\w.-]+):/.exec(line)?.[1];
    indent = indentOf(line);
    if (key) path.unshift(key);
  }
  return path;
}

function indentOf(line: string): number {
  return /^[\s]*(?:- )*/.exec(line)?.[0].length ?? 0;
}
