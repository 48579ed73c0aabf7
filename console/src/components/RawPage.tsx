import { useQuery } from '@tanstack/react-query';
import { raw } from '@/api/client';
import { Loaded } from './Feedback';
import { JsonView } from './JsonView';
import { Page } from './Page';

/** A page that shows what the API answers, as it is. */
export function RawPage({ title, path, topics }: { title: string; path: string; topics: string[] }) {
  const query = useQuery({
    queryKey: ['raw', path],
    queryFn: ({ signal }) => raw<unknown>('GET', path, undefined, signal),
    meta: { topics },
  });
  return (
    <Page title={title}>
      <Loaded query={query} what={title}>
        {(data) => <JsonView text={JSON.stringify(data)} />}
      </Loaded>
    </Page>
  );
}
