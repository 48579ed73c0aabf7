import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ChevronRight, Columns3 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useFormats, useT } from '@/i18n';
import { useKeys } from '@/lib/keys';
import { type Density, usePref } from '@/lib/prefs';
import { Button } from './Button';
import css from './DataTable.module.css';
import { Menu, MenuCheck, MenuChoice, MenuItem, MenuLabel, MenuLine } from './Menu';
import { type RowGroup, itemsOf, nextRow } from './tableItems';

export interface Column<R> {
  id: string;
  header: string;
  cell: (row: R) => ReactNode;
  /** Key under which the server sorts by it. */
  sort?: string;
  align?: 'end';
  /** CSS width; the others share what is left. */
  width?: string;
  /** Not shown until it is chosen. */
  optional?: boolean;
  /** Left out on phones. */
  wide?: boolean;
}

export interface DataTableProps<R> {
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  rowKey: (row: R) => string;
  /** Words for a row, for those who hear the table. */
  rowName?: (row: R) => string;
  onOpen?: (row: R) => void;
  /** A click, or the space key, shows a row in short while the list stays. Enter and a double click open it. */
  onPeek?: ((row: R) => void) | undefined;
  /** Key of the row that is shown in short: other rows follow the arrow keys there. */
  peeked?: string | undefined;
  /** In place of `rows`: the same in groups. */
  groups?: readonly RowGroup<R>[] | undefined;
  /** Ids of columns to show; absent: those that are not optional. */
  chosen?: readonly string[] | undefined;
  /** Sort key, with `-` in front for descending. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  /** A page after this one, if there is one. */
  more?: { has: boolean; busy: boolean; load: () => void } | undefined;
  /** What stands in place of rows when there are none. */
  empty?: ReactNode;
  /** Dimmed: a filter changed and the new rows are not here yet. */
  waiting?: boolean;
  rowTone?: (row: R) => 'muted' | 'bad' | undefined;
}

/** Rows that are drawn beyond the visible ones. */
const OVERSCAN = 12;
/** Fewer rows than this are all drawn. */
const VIRTUAL_FROM = 80;

export function shownColumns<R>(columns: readonly Column<R>[], chosen: readonly string[] | undefined): readonly Column<R>[] {
  const found = chosen && columns.filter((column) => chosen.includes(column.id));
  return found && found.length > 0 ? found : columns.filter((column) => !column.optional);
}

/** A table of records: sticky head, sorting, selection by mouse and keyboard, pages by key, drawn as far as it is seen. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, rowKey, rowName, onOpen, onPeek, peeked, groups, sort, onSort, selected, onSelect, more, empty, waiting, rowTone } = props;
  const t = useT();
  const formats = useFormats();
  const columns = shownColumns(props.columns, props.chosen);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(-1);
  const anchor = useRef(-1);
  const [density] = usePref('density');
  const items = useMemo(() => itemsOf(props.rows, groups), [props.rows, groups]);
  const rows = useMemo(() => items.flatMap((item) => (item.kind === 'row' ? [item.row] : [])), [items]);
  const virtual = items.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: virtual ? items.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ({ compact: 28, regular: 34, comfortable: 42 })[density],
    overscan: OVERSCAN,
  });
  useEffect(() => virtualizer.measure(), [density, virtualizer]);

  const drawn = virtual ? virtualizer.getVirtualItems() : [];
  const span = columns.length + (onSelect ? 1 : 0);
  const before = drawn[0]?.start ?? 0;
  const after = virtual ? virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? 0) : 0;
  const indices = virtual ? drawn.map((item) => item.index) : items.map((_, index) => index);

  const move = (to: number) => {
    if (items.length === 0) return;
    const next = Math.max(0, Math.min(items.length - 1, to));
    setActive(next);
    if (virtual) virtualizer.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`tr[data-index="${next}"]`)?.focus());
    const item = items[next];
    if (peeked !== undefined && onPeek && item?.kind === 'row' && rowKey(item.row) !== peeked) onPeek(item.row);
  };

  // The row that is shown in short is the one from which the keys go on, also where an address has opened it.
  const shownAt = peeked === undefined ? -1 : items.findIndex((item) => item.kind === 'row' && rowKey(item.row) === peeked);
  const [following, setFollowing] = useState<string>();
  if (peeked !== following && (shownAt >= 0 || peeked === undefined)) {
    setFollowing(peeked);
    if (shownAt >= 0) setActive(shownAt);
  }
  useEffect(() => {
    if (following === undefined || shownAt < 0) return;
    if (virtual) virtualizer.scrollToIndex(shownAt);
    else scroller.current?.querySelector(`tr[data-index="${shownAt}"]`)?.scrollIntoView({ block: 'nearest' });
    // Rows that move meanwhile take nobody with them.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [following]);
  const step = (by: 1 | -1) => move(peeked === undefined ? active + by : nextRow(items, shownAt >= 0 ? shownAt : active, by));

  const toggle = (index: number, range: boolean) => {
    const item = items[index];
    const row = item?.kind === 'row' ? item.row : undefined;
    if (!row || !selected || !onSelect) return;
    const next = new Set(selected);
    const adding = !next.has(rowKey(row));
    const from = range && anchor.current >= 0 ? anchor.current : index;
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      const each = items[at];
      if (each?.kind !== 'row') continue;
      if (adding) next.add(rowKey(each.row));
      else next.delete(rowKey(each.row));
    }
    anchor.current = index;
    onSelect(next);
  };

  const group = t.shell.groupPage;
  useKeys([
    { keys: 'j', label: t.help.down, group, run: () => step(1) },
    { keys: 'k', label: t.help.up, group, run: () => step(-1) },
    ...(peeked === undefined || !onPeek
      ? []
      : [
          { keys: 'ArrowDown', label: t.help.down, group, run: () => step(1) },
          { keys: 'ArrowUp', label: t.help.up, group, run: () => step(-1) },
        ]),
    ...(onSelect ? [{ keys: 'x', label: t.help.select, group, run: () => toggle(active, false) }] : []),
  ]);

  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== 'TR') return;
    const index = Number(event.target.dataset.index);
    const item = items[index];
    const row = item?.kind === 'row' ? item.row : undefined;
    const of = item?.kind === 'group' ? item.group : undefined;
    const opens = event.key === 'ArrowRight' || event.key === 'Enter' || event.key === ' ';
    const closes = event.key === 'ArrowLeft' || event.key === 'Enter' || event.key === ' ';
    if (event.key === 'ArrowDown') move(index + 1);
    else if (event.key === 'ArrowUp') move(index - 1);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(items.length - 1);
    else if (of && (of.open ? closes : opens)) of.onToggle();
    else if (event.key === 'Enter' && row && onOpen) onOpen(row);
    else if (event.key === ' ' && row && onPeek && !event.shiftKey) onPeek(row);
    else if (event.key === ' ' && onSelect) toggle(index, event.shiftKey);
    else return;
    event.preventDefault();
  };

  if (items.length === 0 && empty !== undefined) return <>{empty}</>;

  const all = selected !== undefined && rows.length > 0 && rows.every((row) => selected.has(rowKey(row)));
  return (
    <div className={css.frame} data-waiting={waiting || undefined} aria-busy={waiting || undefined}>
      <div ref={scroller} className={css.scroller} tabIndex={0} role="region" aria-label={label}>
        <table className={css.table} aria-label={label} aria-rowcount={more?.has ? -1 : items.length + 1} onKeyDown={onKeyDown}>
          <colgroup>
            {onSelect && <col className={css.checkCol} />}
            {columns.map((column) => (
              <col key={column.id} style={column.width ? { width: column.width } : undefined} className={column.wide ? css.wide : undefined} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {onSelect && (
                <th className={css.check} scope="col">
                  <input
                    type="checkbox"
                    aria-label={t.common.selectAll}
                    checked={all}
                    onChange={() => onSelect(all ? new Set() : new Set(rows.map(rowKey)))}
                  />
                </th>
              )}
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <Filler height={before} span={span} />}
            {indices.map((index) => {
              const item = items[index];
              if (item === undefined) return null;
              const focusable = index === (active < 0 ? 0 : active) ? 0 : -1;
              if (item.kind !== 'row') {
                return (
                  <tr key={`${item.kind} ${item.group.key}`} data-index={index} data-group={item.kind} aria-rowindex={index + 2} tabIndex={focusable} onFocus={() => setActive(index)}>
                    {item.kind === 'group' ? <GroupHead group={item.group} span={span} /> : <td colSpan={span}>{item.group.note}</td>}
                  </tr>
                );
              }
              const { row } = item;
              const key = rowKey(row);
              const isSelected = selected?.has(key) ?? false;
              return (
                <tr
                  key={key}
                  data-index={index}
                  data-selected={isSelected || undefined}
                  data-tone={rowTone?.(row)}
                  data-open={onOpen ? true : undefined}
                  aria-current={peeked !== undefined && key === peeked ? 'true' : undefined}
                  aria-rowindex={index + 2}
                  tabIndex={focusable}
                  onFocus={() => setActive(index)}
                  onClick={(event) => {
                    const act = onPeek ?? onOpen;
                    if (!act || isControl(event.target)) return;
                    if (getSelection()?.toString()) return;
                    if (key !== peeked) act(row);
                  }}
                  onDoubleClick={(event) => onPeek && onOpen && !isControl(event.target) && onOpen(row)}
                >
                  {onSelect && (
                    <td className={css.check}>
                      <input
                        type="checkbox"
                        aria-label={t.common.selectRow(rowName?.(row) ?? key)}
                        checked={isSelected}
                        onChange={() => undefined}
                        onClick={(event) => toggle(index, event.shiftKey)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.id} className={cellClass(column)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {after > 0 && <Filler height={after} span={span} />}
          </tbody>
        </table>
      </div>
      <div className={css.foot}>
        <span>{t.common.rows(formats.number(rows.length))}</span>
        {more?.has && (
          <Button size="s" busy={more.busy} onClick={more.load}>
            {t.common.loadMore}
          </Button>
        )}
      </div>
    </div>
  );
}

function GroupHead<R>({ group, span }: { group: RowGroup<R>; span: number }) {
  return (
    <th scope="rowgroup" colSpan={span} className={css.group}>
      <span className={css.groupLine}>
        <button type="button" tabIndex={-1} aria-expanded={group.open} className={css.groupName} onClick={group.onToggle}>
          <ChevronRight size={14} aria-hidden="true" />
          <span>{group.label ?? group.name}</span>
          <span className={css.groupCount}>{group.count}</span>
        </button>
        {group.aside}
      </span>
    </th>
  );
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, select, label, [role="menuitem"]') !== null;
}

function cellClass<R>(column: Column<R>): string | undefined {
  return [column.align === 'end' && css.end, column.wide && css.wide].filter(Boolean).join(' ') || undefined;
}

function Head<R>({ column, sort, onSort }: { column: Column<R>; sort: string | undefined; onSort: ((sort: string) => void) | undefined }) {
  const t = useT();
  const key = column.sort;
  // A column of buttons has nothing to be called.
  if (column.header === '') return <td className={cellClass(column)} />;
  if (!key || !onSort) {
    return (
      <th scope="col" className={cellClass(column)}>
        {column.header}
      </th>
    );
  }
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined;
  return (
    <th scope="col" className={cellClass(column)} aria-sort={direction ?? 'none'}>
      <button type="button" className={css.sort} title={t.common.sortBy(column.header)} onClick={() => onSort(direction === 'ascending' ? `-${key}` : key)}>
        {column.header}
        {direction === 'ascending' && <ArrowUp size={12} aria-hidden="true" />}
        {direction === 'descending' && <ArrowDown size={12} aria-hidden="true" />}
      </button>
    </th>
  );
}

function Filler({ height, span }: { height: number; span: number }) {
  return (
    <tr aria-hidden="true" className={css.filler}>
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

/** Chooses columns and row height. */
export function ColumnMenu<R>({ columns, chosen, onChoose }: { columns: readonly Column<R>[]; chosen: readonly string[] | undefined; onChoose: (ids: string[] | undefined) => void }) {
  const t = useT();
  const [density, setDensity] = usePref('density');
  const shown = new Set(shownColumns(columns, chosen).map((column) => column.id));
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={Columns3}>
          {t.common.columns}
        </Button>
      }
    >
      <MenuLabel>{t.common.columns}</MenuLabel>
      {columns.map((column, index) => (
        <MenuCheck
          key={column.id}
          checked={shown.has(column.id)}
          onChange={(checked) => {
            if (index === 0) return;
            onChoose(columns.map(({ id }) => id).filter((id) => (id === column.id ? checked : shown.has(id))));
          }}
        >
          {column.header}
        </MenuCheck>
      ))}
      <MenuItem onSelect={() => onChoose(undefined)}>{t.common.resetColumns}</MenuItem>
      <MenuLine />
      <MenuLabel>{t.common.density}</MenuLabel>
      <MenuChoice<Density>
        value={density}
        onChange={setDensity}
        options={[
          ['compact', t.common.compact],
          ['regular', t.common.regular],
          ['comfortable', t.common.comfortable],
        ]}
      />
    </Menu>
  );
}
