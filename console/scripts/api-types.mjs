// Writes src/api/schema.d.ts from the OpenAPI document; with --check, compares instead.
import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../docs/reference/openapi.json', import.meta.url);
const target = new URL('../src/api/schema.d.ts', import.meta.url);

const head = '// Made from docs/reference/openapi.json by `npm run types`. Not edited by hand.\n\n';
const text = head + astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));

if (process.argv.includes('--check')) {
  const kept = await readFile(target, 'utf8').catch(() => '');
  if (kept !== text) {
    console.error('src/api/schema.d.ts differs from docs/reference/openapi.json: run `npm run types` in console/');
    process.exit(1);
  }
} else {
  await writeFile(target, text);
  console.log(format('wrote %s (%d lines)', target.pathname.split('/').slice(-3).join('/'), text.split('\n').length));
}
