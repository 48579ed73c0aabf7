import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CirclePause, CircleSlash, CircleX } from 'lucide-react';
import { ActionBar } from '@/components/ActionBar';
import { CopyButton } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { NodeLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { LastRuns } from '../runs/LastRuns';
import { RunningNow } from '../runs/RunningNow';
import { ClockOf } from './ClockOf';
import css from './Cluster.module.css';
import { LatenessOf } from './LatenessOf';
import { type NodeMove, movesOf, nodesNamed, ranges, rolesOf, shardsOf, standingOf } from './node';
import { colourOf } from './owners';
import { type Cluster, type Node, type ShardOwner, clusterQuery, latenessQuery, movesQuery, nodeRunsQuery, ownersQuery, runsOfNode } from './queries';
import { nodeRoute } from './routes';
import { ShardGrid } from './ShardGrid';
import { useNodeActions } from './useNodeActions';

/** One node: what it is and does, its shards and how they moved, what it executes now and what it executed. */
export function NodePage() {
  const t = useT();
  const { node: name } = nodeRoute.useParams();
  const query = useQuery(clusterQuery);
  return (
    <Loaded query={query} what={t.cluster.a}>
      {(cluster) => <NodeView key={name} cluster={cluster} name={name} />}
    </Loaded>
  );
}

function NodeView({ cluster, name }: { cluster: Cluster; name: string }) {
  const t = useT();
  const formats = useFormats();
  const nodes = nodesNamed(cluster.nodes, name);
  const [node, ...others] = nodes;
  const standing = standingOf(node);
  const actions = useNodeActions(cluster, node);
  const Glyph = standing === 'gone' ? CircleSlash : standing === 'active' ? CircleCheck : standing === 'draining' ? CirclePause : CircleX;
  const known = [...new Set(cluster.nodes.map((each) => each.name))];
  return (
    <Page
      title={name}
      trail={<Link to="/cluster">{t.shell.cluster}</Link>}
      facts={
        <>
          <span className={css.standing} data-standing={standing}>
            <Glyph size={14} aria-hidden="true" /> {t.cluster.standings[standing] ?? standing}
          </span>
          {node?.answering && <span>{t.cluster.thisNode}</span>}
          {node && <span>{t.cluster.shardsOf(formats.number(node.shards), formats.number(cluster.shards.length))}</span>}
        </>
      }
      actions={actions.length > 0 && <ActionBar actions={actions} />}
    >
      {t.cluster.standingText[standing] && (
        <div className={css.note} data-standing={standing} role="status">
          <p>{t.cluster.standingText[standing]}</p>
          {standing === 'gone' && known.length > 0 && (
            <p>
              {t.cluster.known}{' '}
              {known.map((each, index) => (
                <span key={each} className={css.inText}>
                  {index > 0 && t.common.listComma}
                  <NodeLink name={each} />
                </span>
              ))}
            </p>
          )}
        </div>
      )}
      <div className={css.detail} data-alone={!node || undefined}>
        <div className={css.column}>
          {node && <RunningHere name={name} />}
          {node && <Shards cluster={cluster} nodes={nodes} name={name} />}
          <LastMoves name={name} isShared={cluster.store !== 'sqlite' && cluster.store !== 'memory'} />
          <LastRuns q={runsOfNode(name)} empty={t.cluster.noRuns} />
        </div>
        {node && (
          <div className={css.column}>
            <Panel title={t.workers.facts}>
              <NodeFacts node={node} />
            </Panel>
            <LatenessHere node={node} />
            {others.map((other) => (
              <Panel key={other.id} title={t.cluster.sameName}>
                <NodeFacts node={other} />
              </Panel>
            ))}
          </div>
        )}
      </div>
    </Page>
  );
}

function RunningHere({ name }: { name: string }) {
  return <RunningNow query={useQuery(nodeRunsQuery(name))} />;
}

/** Which shards it has, since when, and how often each was taken. */
function Shards({ cluster, nodes, name }: { cluster: Cluster; nodes: readonly Node[]; name: string }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(ownersQuery);
  const ids = nodes.map(({ id }) => id);
  const columns: Column<ShardOwner>[] = [
    { id: 'shard', header: t.cluster.shard, width: '6rem', align: 'end', cell: ({ shard }) => String(shard) },
    { id: 'epoch', header: t.cluster.taken, width: '8rem', align: 'end', cell: ({ epoch }) => (typeof epoch === 'number' ? formats.number(epoch) : t.common.none) },
    { id: 'since', header: t.cluster.since, cell: ({ since }) => (since ? <Instant at={since} relative /> : t.cluster.sinceBefore) },
  ];
  const all = cluster.nodes.reduce((sum, { shards }) => sum + shards, 0);
  const mine = shardsOf(cluster, ids);
  return (
    <Panel title={t.cluster.shards} aside={mine.length > 0 ? `${t.cluster.numbers} ${ranges(mine)}` : undefined}>
      <ShardGrid shards={cluster.shards} colours={colourOf(cluster.nodes)} of={ids} />
      {mine.length === cluster.shards.length && all === mine.length ? (
        <p className={css.below}>{t.cluster.allMine}</p>
      ) : mine.length === 0 ? (
        <p className={css.below}>{t.cluster.noneMine}</p>
      ) : (
        <Loaded query={query} what={t.cluster.shards}>
          {(owners) => (
            <div className={css.owned}>
              <DataTable label={t.cluster.shardsOfNode(name)} columns={columns} rows={owners.filter(({ shard }) => mine.includes(shard))} rowKey={({ shard }) => String(shard)} rowName={({ shard }) => String(shard)} />
            </div>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

/** Which shards it took and gave lately. */
function LastMoves({ name, isShared }: { name: string; isShared: boolean }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(movesQuery);
  const columns: Column<NodeMove>[] = [
    { id: 'at', header: t.cluster.when, width: '12rem', cell: ({ at }) => <Instant at={at} relative /> },
    {
      id: 'what',
      header: t.cluster.move,
      cell: ({ kind, other, shards }) => (
        <span className={css.inText}>
          {kind === 'took' && !other ? t.cluster.tookFromNobody(formats.number(shards.length)) : t.cluster.moves[kind](formats.number(shards.length))}
          {other && (
            <>
              {' '}
              <NodeLink name={other} />
            </>
          )}
        </span>
      ),
    },
    { id: 'shards', header: t.cluster.numbers, wide: true, cell: ({ shards }) => ranges(shards) },
    { id: 'unowned', header: t.cluster.unownedFor, width: '10rem', align: 'end', cell: ({ unowned_ms }) => formats.duration(unowned_ms) },
  ];
  return (
    <Panel title={t.cluster.lastMoves} flush>
      <Loaded query={query} what={t.cluster.lastMoves}>
        {(moves) => (
          <DataTable
            label={t.cluster.lastMoves}
            columns={columns}
            rows={movesOf(moves, name)}
            rowKey={({ key }) => key}
            rowName={({ at }) => at}
            empty={<p className={css.nothing}>{isShared ? t.cluster.noMoves : t.cluster.noMovesAlone}</p>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function LatenessHere({ node }: { node: Node }) {
  const t = useT();
  const query = useQuery(latenessQuery);
  return (
    <Loaded query={query} what={t.cluster.lateness}>
      {({ minutes, nodes }) => {
        const found = nodes.find((each) => each.node === node.id);
        return found ? <LatenessOf minutes={minutes} lateness={found.lateness} /> : null;
      }}
    </Loaded>
  );
}

function NodeFacts({ node }: { node: Node }) {
  const t = useT();
  const formats = useFormats();
  const duration = (ms: number | null | undefined) => (typeof ms === 'number' ? formats.duration(ms) : t.common.none);
  const roles = rolesOf(node).map((role) => t.cluster.roleWords[role]);
  const { slots, slots_used: used = 0, claim_us: claim } = node;
  return (
    <Facts
      rows={[
        [t.cluster.roles, roles.join(t.common.listComma)],
        typeof slots === 'number' && [
          t.cluster.slots,
          <span key="slots" className={css.meter}>
            <meter min={0} max={Math.max(1, slots)} value={used ?? 0} aria-label={t.cluster.slots} /> {t.workers.slotsOf(formats.number(used ?? 0), formats.number(slots))}
          </span>,
        ],
        node.answering && [t.cluster.claim, <span key="claim" title={t.cluster.claimText}>{typeof claim === 'number' ? formats.duration(claim / 1000) : t.cluster.claimNone}</span>],
        [t.cluster.answers, duration(node.answer_ms)],
        [t.cluster.clock, <ClockOf key="clock" node={node} />],
        [t.cluster.silent, duration(node.silent_ms ?? 0)],
        node.started_at ? [t.cluster.up, <Instant key="up" at={node.started_at} relative focusable />] : undefined,
        node.renewed_at ? [t.cluster.looked, <Instant key="looked" at={node.renewed_at} relative focusable />] : undefined,
        [t.cluster.version, node.version],
        node.tzdata ? [t.cluster.zoneData, node.tzdata] : undefined,
        [t.cluster.address, node.address ?? t.common.none],
        !node.answering && [t.cluster.rest, t.cluster.restText],
        [
          t.workers.process,
          <span key="id" className={css.id}>
            <code>{node.id}</code>
            <CopyButton text={node.id} label={t.run.copyId} />
          </span>,
        ],
      ]}
    />
  );
}
