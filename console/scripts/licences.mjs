// Collects the licences of what the bundle contains. Fails on one that the project does not accept.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ACCEPTED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense', 'Zlib']);

/** Returns names and texts, sorted by name: all packages that the lock file does not mark as needed for development only. */
export function licences(root) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const parts = [];
  for (const [path, entry] of Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (path === '' || entry.dev || entry.devOptional || entry.optional) continue;
    const folder = join(root, path);
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const licence = typeof about.license === 'string' ? about.license : about.license?.type;
    if (!licence || !licence.split(/ OR |[()]/).filter(Boolean).some((each) => ACCEPTED.has(each.trim()))) {
      throw new Error(`${about.name} ${about.version} has the licence ${licence}, which is not accepted`);
    }
    const file = readdirSync(folder).sort().find((name) => /^licen[cs]e/i.test(name));
    parts.push(`${about.name} ${about.version}\n${licence}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : `(${licence}; the package has no licence file)`}\n`);
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}
