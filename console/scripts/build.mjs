// Builds the bundle, compresses it, checks its size, and puts it where the program embeds it.
// With --check: compares with what is there instead, and says what differs.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { licences } from './licences.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const built = join(here, 'dist');
const kept = join(here, '../crates/mainspring-console/dist');

/** Compressed copies are not worth their place below this size. */
const COMPRESS_FROM = 1024;

function files(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

const run = spawnSync(process.execPath, [join(here, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: here, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);

const budgets = spawnSync(process.execPath, [join(here, 'scripts/budgets.mjs')], { cwd: here, stdio: 'inherit' });
if (budgets.status !== 0) process.exit(budgets.status ?? 1);
rmSync(join(built, '.vite'), { recursive: true });
writeFileSync(join(built, 'licences.txt'), licences(here));

for (const name of files(built)) {
  const bytes = readFileSync(join(built, name));
  // The server writes into index.html, so it compresses that itself or not at all.
  if (name === 'index.html' || bytes.length < COMPRESS_FROM) continue;
  writeFileSync(join(built, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(join(built, `${name}.br`), brotliCompressSync(bytes, { params }));
}

if (!process.argv.includes('--check')) {
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true });
  cpSync(built, kept, { recursive: true });
  console.log(`wrote ${files(kept).length} files`);
  process.exit(0);
}

// Compressed files are compared by what they hold: releases of Node compress differently.
function content(folder, name) {
  const bytes = readFileSync(join(folder, name));
  if (name.endsWith('.gz')) return gunzipSync(bytes);
  if (name.endsWith('.br')) return brotliDecompressSync(bytes);
  return bytes;
}

const ours = new Set(files(built));
const theirs = new Set(files(kept));
const different = [...new Set([...ours, ...theirs])]
  .sort()
  .filter((name) => !ours.has(name) || !theirs.has(name) || !content(built, name).equals(content(kept, name)));
if (different.length > 0) {
  console.error(`crates/mainspring-console/dist is not what console/ makes: run \`make console\` and commit it.\n  ${different.join('\n  ')}`);
  process.exit(1);
}
console.log(`crates/mainspring-console/dist is up to date (${ours.size} files)`);
