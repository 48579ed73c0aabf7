// Fails when the bundle is larger than it may be. Reads Vite's manifest of console/dist.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const FIRST_LOAD_MAX = 230_000;
const LAZY_MAX = 120_000;

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'));
const size = (file) => gzipSync(readFileSync(dist + file), { level: 9 }).length;

/** Every chunk that a chunk needs before it runs. */
function statics(key, found = new Set()) {
  if (found.has(key)) return found;
  found.add(key);
  for (const next of manifest[key].imports ?? []) statics(next, found);
  return found;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = statics(entry);
const firstLoad = [...first].reduce((sum, key) => sum + size(manifest[key].file), 0);
const lazy = Object.keys(manifest)
  .filter((key) => !first.has(key) && manifest[key].file.endsWith('.js'))
  .map((key) => [manifest[key].file.replace('assets/', ''), size(manifest[key].file)])
  .sort((a, b) => b[1] - a[1]);

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(`first load ${kb(firstLoad)} gzip of JavaScript, at most ${kb(FIRST_LOAD_MAX)}`);
for (const [file, bytes] of lazy.slice(0, 6)) console.log(`  lazy ${file} ${kb(bytes)}, at most ${kb(LAZY_MAX)}`);

const tooLarge = lazy.filter(([, bytes]) => bytes > LAZY_MAX);
if (firstLoad > FIRST_LOAD_MAX || tooLarge.length > 0) {
  console.error('the bundle is over its budget');
  process.exit(1);
}
