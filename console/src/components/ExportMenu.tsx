import { Download } from 'lucide-react';
import { useState } from 'react';
import { exactText } from '@/api/client';
import { useFormats, useT } from '@/i18n';
import { csv } from '@/lib/csv';
import { download } from '@/lib/download';
import { type Json, member, parseExact, printExact } from '@/lib/json';
import { Button } from './Button';
import { Menu, MenuItem } from './Menu';
import { toast, toastError } from './toast';

/** Rows of one file. */
const ROWS_MAX = 10_000;

export interface ExportMenuProps<R> {
  /** Beginning of the file's name. */
  name: string;
  /** Path of the list with its query, up to `limit` and `cursor`. */
  path: string;
  head: readonly string[];
  row: (item: R) => readonly unknown[];
}

/** Saves what a list finds as a file: all of it, not only what was fetched for the page. */
export function ExportMenu<R>({ name, path, head, row }: ExportMenuProps<R>) {
  const t = useT();
  const formats = useFormats();
  const [busy, setBusy] = useState(false);
  const save = async (kind: 'csv' | 'json') => {
    setBusy(true);
    try {
      const { items, isAll } = await everything(path);
      if (kind === 'json') download(`${name}.json`, 'application/json', `[${items.map((item) => printExact(item)).join(',\n')}]\n`);
      else download(`${name}.csv`, 'text/csv', csv(head, items.map((item) => row(JSON.parse(printExact(item)) as R))));
      toast({ text: isAll ? t.common.exported(formats.number(items.length)) : t.common.exportedFirst(formats.number(items.length)) });
    } catch (error) {
      toastError(t.errors.action(t.common.exportWord), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={Download} busy={busy}>
          {t.common.exportWord}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>CSV</MenuItem>
      <MenuItem onSelect={() => void save('json')}>JSON</MenuItem>
    </Menu>
  );
}

/** Numbers keep every digit: items stay as they were written. */
async function everything(path: string): Promise<{ items: Json[]; isAll: boolean }> {
  const items: Json[] = [];
  let cursor = '';
  do {
    const page = parseExact(await exactText(`${path}&limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`));
    const found = member(page, 'items');
    const next = member(page, 'next_cursor');
    if (found?.kind === 'array') items.push(...found.items);
    cursor = next?.kind === 'string' ? next.value : '';
  } while (cursor !== '' && items.length < ROWS_MAX);
  return { items: items.slice(0, ROWS_MAX), isAll: cursor === '' };
}
