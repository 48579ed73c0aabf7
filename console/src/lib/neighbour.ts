/** The row before or after the one that is meant; none at the edge of the list, or where it is not there. Pure. */
export function neighbour<R>(rows: readonly R[], isMeant: (row: R) => boolean, by: 1 | -1): R | undefined {
  const at = rows.findIndex(isMeant);
  return at < 0 ? undefined : rows[at + by];
}
