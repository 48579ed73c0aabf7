import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Button } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches, NothingYet } from '@/components/Feedback';
import { TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Page } from '@/components/Page';
import { StateBadge } from '@/components/StateBadge';
import { useFormats, useT } from '@/i18n';
import css from './Flows.module.css';
import { type FlowSummary, flowListQuery } from './queries';
import { flowsRoute } from './routes';

/** All flows of a namespace. */
export function FlowsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = flowsRoute.useParams();
  const { q = '' } = flowsRoute.useSearch();
  const navigate = useNavigate();
  const query = useQuery(flowListQuery);
  const search = (text: string) => void navigate({ to: '.', search: { q: text || undefined }, replace: true });
  const open = (flow: FlowSummary) => void navigate({ to: '/ns/$ns/flows/$flow', params: { ns: flow.namespace, flow: flow.name } });
  const create = () => void navigate({ to: '/ns/$ns/flows/new', params: { ns: ns === '-' ? 'default' : ns } });
  const columns: Column<FlowSummary>[] = [
    {
      id: 'name',
      header: t.flows.name,
      width: '18rem',
      cell: (flow) => (
        <Link to="/ns/$ns/flows/$flow" params={{ ns: flow.namespace, flow: flow.name }} className={css.name}>
          {ns === '-' && `${flow.namespace}/`}
          {flow.name}
        </Link>
      ),
    },
    {
      id: 'state',
      header: t.flows.state,
      width: '12rem',
      cell: ({ running, components }) => (
        <StateBadge
          state={running === 0 ? 'cancelled' : 'running'}
          word={running === 0 ? t.flows.words.stopped : running === components ? t.flows.words.running : t.flows.partly(formats.number(running), formats.number(components))}
        />
      ),
    },
    { id: 'description', header: t.flows.description, wide: true, cell: ({ description }) => description ?? '' },
    { id: 'components', header: t.flows.components, width: '8rem', align: 'end', wide: true, cell: ({ components }) => formats.number(components) },
    { id: 'version', header: t.flows.version, width: '6rem', align: 'end', wide: true, cell: ({ version }) => formats.number(version) },
    { id: 'saved', header: t.flows.saved, width: '14rem', wide: true, cell: ({ saved_at }) => <Instant at={saved_at} relative /> },
  ];
  return (
    <Page
      title={t.shell.flows}
      actions={
        <Button tone="primary" icon={Plus} onClick={create}>
          {t.flows.create}
        </Button>
      }
    >
      <Loaded query={query} what={t.flows.what}>
        {(all) => {
          const flows = all.filter(({ namespace }) => ns === '-' || namespace === ns);
          const wanted = q.trim().toLowerCase();
          if (flows.length === 0) {
            return (
              <NothingYet
                what={t.flows.what}
                actions={
                  <Button tone="primary" icon={Plus} onClick={create}>
                    {t.flows.create}
                  </Button>
                }
              >
                {t.flows.emptyText}
                <CommandLine text="mainspring flow apply -f orders.yaml --start" />
              </NothingYet>
            );
          }
          return (
            <>
              <TextInput className={css.search} data-page-search aria-label={t.flows.find} placeholder={t.flows.find} value={q} onChange={(event) => search(event.target.value)} />
              <DataTable
                label={t.shell.flows}
                columns={columns}
                rows={flows.filter(({ name, description }) => `${name} ${description ?? ''}`.toLowerCase().includes(wanted))}
                rowKey={({ namespace, name }) => `${namespace}/${name}`}
                rowName={({ name }) => name}
                onOpen={open}
                empty={<NothingMatches onClear={() => search('')} />}
              />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
