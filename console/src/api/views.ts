import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client';
import type { components } from './schema';

export type View = components['schemas']['View'];
export type ViewPage = 'jobs' | 'runs';
type Shown = Pick<View, 'query' | 'sort' | 'columns' | 'group'>;

/** What a list shows, as its address has it. */
export interface ListSearch {
  q?: string | undefined;
  sort?: string | undefined;
  cols?: string[] | undefined;
  group?: string | undefined;
}

export const viewsQuery = (page: ViewPage) =>
  queryOptions({
    queryKey: ['views', page],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/views', { params: { query: { page } }, signal })),
  });

export function saveView(name: string, page: ViewPage, { q, sort, cols, group }: ListSearch): Promise<View> {
  const body = { page, query: q ?? null, sort: sort ?? null, columns: cols ?? [], group: group ?? null };
  return ask(api.PUT('/api/v1/views/{view}', { params: { path: { view: name } }, body }));
}

export function removeView(name: string): Promise<unknown> {
  return ask(api.DELETE('/api/v1/views/{view}', { params: { path: { view: name } } }));
}

/** The search parameters that a view stands for. */
export function searchOfView({ query, sort, columns, group }: Shown): ListSearch {
  return { q: query || undefined, sort: sort || undefined, cols: columns && columns.length > 0 ? columns : undefined, group: group || undefined };
}

/** Whether a list shows what a view stands for. */
export function isShown(view: Shown, search: ListSearch): boolean {
  const of = searchOfView(view);
  return of.q === (search.q || undefined) && of.sort === search.sort && of.cols?.join() === search.cols?.join() && of.group === search.group;
}
