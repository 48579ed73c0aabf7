import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asApiError } from '@/api/problem';
import type { RowGroup } from '@/components/tableItems';
import { useFormats, useT } from '@/i18n';
import { toggled } from '@/lib/toggled';
import { type GroupBy, headsOf } from './groups';
import { GROUP_PAGE, type Job, groupQuery, groupsQuery } from './queries';

export interface JobGroups {
  /** Absent until the first answer. */
  groups: readonly RowGroup<Job>[] | undefined;
  /** The rows of open groups. */
  rows: readonly Job[];
  /** Not all jobs, or not all groups, are counted. */
  isPartial: boolean;
  isWaiting: boolean;
  error: Error | null;
  retry: () => void;
}

export interface JobGroupsOf {
  ns: string;
  q: string;
  sort: string | undefined;
  /** Absent: the list has no groups, and nothing is asked. */
  by: GroupBy | undefined;
  open: readonly string[];
  onOpen: (open: string[] | undefined) => void;
}

/** Jobs under headings with the number of all that match. The rows of a group are fetched when it opens. */
export function useJobGroups({ ns, q, sort, by, open, onOpen }: JobGroupsOf): JobGroups {
  const t = useT();
  const formats = useFormats();
  const counted = useQuery({
    ...groupsQuery(ns, q, by),
    enabled: by !== undefined,
    // Only what was counted by the same field can stand in for it.
    placeholderData: (before, query) => (query?.queryKey[3] === by?.field && query?.queryKey[4] === by?.label ? before : undefined),
  });
  const heads = by && counted.data ? headsOf(by, q, counted.data) : undefined;
  const opened = (heads ?? []).filter(({ key }) => open.includes(key));
  const pages = useQueries({ queries: opened.map((head) => groupQuery(ns, { q: head.q, sort })) });

  const groups = heads?.map((head): RowGroup<Job> => {
    const page = pages[opened.findIndex(({ key }) => key === head.key)];
    const name = head.value === undefined ? t.jobs.without : (by?.field === 'state' ? t.jobs.standings[head.value] : undefined) ?? (head.value || t.jobs.emptyValue);
    const all = (
      <Link to="/ns/$ns/jobs" params={{ ns }} search={{ q: head.q, ...(sort ? { sort } : {}) } as never}>
        {t.jobs.asList}
      </Link>
    );
    const note = page?.error ? t.said.both(asApiError(page.error)) : page?.isPending ? t.common.loading : page?.data?.next_cursor ? t.jobs.firstOf(formats.number(GROUP_PAGE)) : undefined;
    return {
      key: head.key,
      name,
      label: head.value === undefined || head.value === '' ? <em>{name}</em> : name,
      count: formats.number(head.count),
      open: open.includes(head.key),
      onToggle: () => onOpen(toggled(open, head.key)),
      aside: all,
      rows: page?.data?.items ?? [],
      note,
    };
  });
  return {
    groups,
    rows: pages.flatMap((page) => page.data?.items ?? []),
    isPartial: counted.data?.complete === false,
    isWaiting: counted.isPlaceholderData || (counted.isPending && !counted.error),
    error: counted.error,
    retry: () => void counted.refetch(),
  };
}
