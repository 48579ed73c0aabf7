import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogIn, LogOut, TriangleAlert } from 'lucide-react';
import { infoQuery } from '@/api/queries';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Facts, Page, Panel } from '@/components/Page';
import { NodeLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { ClockOf } from './ClockOf';
import css from './Cluster.module.css';
import { LatenessOf } from './LatenessOf';
import { colourOf, unowned } from './owners';
import { type Cluster, type Node, clusterQuery, latenessQuery } from './queries';
import { ShardGrid } from './ShardGrid';
import { drainCommand, useDrain } from './useNodeActions';

export function ClusterPage() {
  const t = useT();
  const query = useQuery(clusterQuery);
  return (
    <Page title={t.shell.cluster}>
      <Loaded query={query} what={t.cluster.a}>
        {(cluster) => <ClusterView cluster={cluster} />}
      </Loaded>
    </Page>
  );
}

function ClusterView({ cluster }: { cluster: Cluster }) {
  const t = useT();
  const formats = useFormats();
  const info = useQuery(infoQuery).data;
  const colours = colourOf(cluster.nodes);
  const free = unowned(cluster.shards);
  const single = cluster.store !== 'postgres' && cluster.store !== 'mysql' && cluster.nodes.length === 1;
  return (
    <>
      {!cluster.trusted && (
        <p className={css.alarm} role="alert">
          <TriangleAlert size={15} aria-hidden="true" /> {t.cluster.notTrusted}
        </p>
      )}
      {(info?.warnings ?? []).map((warning) => (
        <p key={warning.code} className={css.warning}>
          <TriangleAlert size={15} aria-hidden="true" />
          <span>
            {t.said.say(warning.code, warning.message)}{t.common.stop}<span className={css.hint}>{t.said.hint(warning.hint)}</span>
          </span>
        </p>
      ))}
      <Nodes cluster={cluster} colours={colours} />
      <div className={css.columns}>
        <Panel title={t.cluster.shards} aside={<span className={free > 0 ? css.bad : undefined}>{free > 0 ? t.cluster.unowned(formats.number(free)) : t.cluster.allOwned(formats.number(cluster.shards.length))}</span>}>
          <p className={css.text}>{t.cluster.shardText}</p>
          <ShardGrid shards={cluster.shards} colours={colours} />
          <ul className={css.legend}>
            {cluster.nodes.map((node) => (
              <li key={node.id}>
                <span className={css.swatch} data-colour={colours.get(node.id)} />
                <NodeLink name={node.name} /> <span className={css.hint}>{formats.number(node.shards)}</span>
              </li>
            ))}
            {free > 0 && (
              <li>
                <span className={css.swatch} />
                {t.cluster.nobody} <span className={css.hint}>{formats.number(free)}</span>
              </li>
            )}
          </ul>
        </Panel>
        <div className={css.side}>
          <LatenessPanel />
          {single && (
            <Panel title={t.cluster.single}>
              <p className={css.text}>{t.cluster.singleText}</p>
              <p className={css.text}>{t.cluster.singleCommand}</p>
              <CommandLine text="mainspring server --store postgres://USER:PASSWORD@HOST/DATABASE --node-name b" />
            </Panel>
          )}
          {info && (
            <Panel title={t.cluster.store}>
              <Facts
                rows={[
                  [t.cluster.store, info.store],
                  [t.cluster.version, info.version],
                  [t.cluster.zoneData, info.tzdata],
                  [t.cluster.up, <Instant key="up" at={info.started_at} relative />],
                ]}
              />
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

function Nodes({ cluster, colours }: { cluster: Cluster; colours: Map<string, number> }) {
  const t = useT();
  const formats = useFormats();
  const lateness = useQuery(latenessQuery).data;
  const navigate = useNavigate();
  const { drain, blocked } = useDrain(cluster);
  const columns: Column<Node>[] = [
    {
      id: 'name',
      header: t.cluster.node,
      cell: (node) => (
        <span className={css.node}>
          <span className={css.swatch} data-colour={colours.get(node.id)} />
          <strong><NodeLink name={node.name} /></strong>
          {node.answering && <span className={css.hint}>{t.cluster.thisNode}</span>}
        </span>
      ),
    },
    { id: 'state', header: t.cluster.state, width: '9rem', cell: (node) => <span className={node.state === 'active' ? css.good : css.bad}>{t.cluster.states[node.state] ?? node.state}</span> },
    { id: 'shards', header: t.cluster.shards, width: '5rem', align: 'end', cell: (node) => formats.number(node.shards) },
    { id: 'slots', header: t.cluster.slots, width: '6rem', align: 'end', wide: true, cell: (node) => (typeof node.slots === 'number' ? `${formats.number(node.slots_used ?? 0)} / ${formats.number(node.slots)}` : t.common.none) },
    {
      id: 'lateness',
      header: t.cluster.lateness,
      width: '13rem',
      align: 'end',
      wide: true,
      cell: (node) => {
        const one = lateness?.nodes.find((each) => each.node === node.id)?.lateness;
        const ms = (value: number | null | undefined) => (typeof value === 'number' ? formats.duration(value) : t.common.none);
        return one ? `${ms(one.p50_ms)} / ${ms(one.p99_ms)} / ${ms(one.max_ms)}` : t.common.none;
      },
    },
    {
      id: 'clock',
      header: t.cluster.clock,
      width: '6rem',
      align: 'end',
      cell: (node) => <ClockOf node={node} />,
    },
    { id: 'answers', header: t.cluster.answers, width: '9rem', align: 'end', wide: true, cell: (node) => (typeof node.answer_ms === 'number' ? formats.duration(node.answer_ms) : t.common.none) },
    { id: 'silent', header: t.cluster.silent, width: '7rem', align: 'end', cell: (node) => <span className={(node.silent_ms ?? 0) > 3000 ? css.bad : undefined}>{formats.duration(node.silent_ms ?? 0)}</span> },
    { id: 'up', header: t.cluster.up, width: '12rem', wide: true, cell: (node) => <Instant at={node.started_at} relative /> },
    { id: 'version', header: t.cluster.version, optional: true, cell: (node) => node.version },
    { id: 'address', header: t.cluster.address, optional: true, cell: (node) => node.address ?? t.common.none },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (node) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={node.drain_asked ? LogIn : LogOut} tone={node.drain_asked ? 'plain' : 'danger'} disabledReason={blocked(node)} onSelect={() => void drain(node)}>
            {node.drain_asked ? t.cluster.undrain : t.cluster.drain}
          </MenuItem>
          <MenuLine />
          <CopyItems command={drainCommand(node)} />
        </Menu>
      ),
    },
  ];
  return <DataTable label={t.cluster.nodes} columns={columns} rows={cluster.nodes} rowKey={(node) => node.id} rowName={(node) => node.name} onOpen={(node) => void navigate({ to: '/cluster/nodes/$node', params: { node: node.name } })} />;
}

function LatenessPanel() {
  const t = useT();
  const query = useQuery(latenessQuery);
  return (
    <Loaded query={query} what={t.cluster.lateness}>
      {(data) => <LatenessOf minutes={data.minutes} lateness={data.cluster} />}
    </Loaded>
  );
}
