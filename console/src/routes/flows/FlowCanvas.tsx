import { useMemo, useState } from 'react';
import { CopyItems } from '@/components/ActionBar';
import { Skeleton } from '@/components/Feedback';
import { MenuAt, MenuItem, MenuLabel, MenuLine } from '@/components/Menu';
import { Eraser, List } from 'lucide-react';
import { useFormats, useT } from '@/i18n';
import { glyphs } from '@/states';
import { Canvas, type Drawn } from '../workflow/Canvas';
import { type Box, type Direction, cut } from '../workflow/shape';
import { useLayout } from '../workflow/useLayout';
import css from './Flows.module.css';
import { fullness, graphOf, kindOf, relationshipsOf, stateOf } from './model';
import type { Flow, FlowComponent, FlowConnection } from './queries';
import { useFlowActions } from './useFlowActions';
import { useQueueActions } from './useQueueActions';
import { useWhen } from './useWhen';

export interface FlowCanvasProps {
  flow: Flow;
  direction: Direction;
  chosen: string | undefined;
  onChoose: (name: string | undefined) => void;
  onQueue: (connection: string) => void;
}

/** Components and the queues between them, with what they do now: a menu for each, and the keyboard reaches all. */
export function FlowCanvas({ flow, direction, chosen, onChoose, onQueue }: FlowCanvasProps) {
  const t = useT();
  const formats = useFormats();
  const when = useWhen();
  const [menu, setMenu] = useState<{ name: string; x: number; y: number; node: SVGGElement }>();
  // The shape is drawn anew when it changes, and not with every count.
  const shape = JSON.stringify([flow.components.map(({ name }) => name), flow.connections.map(({ name, from, to }) => ({ name, from, to }))]);
  const graph = useMemo(() => {
    const [components, connections] = JSON.parse(shape) as [string[], FlowConnection[]];
    return graphOf(components, connections, direction);
  }, [shape, direction]);
  const { drawing, hasFailed } = useLayout(graph.request);
  if (hasFailed) return <p className={css.quiet}>{t.workflow.noLayout}</p>;
  if (!drawing || drawing.request !== graph.request) return <Skeleton lines={10} />;

  const component = (name: string) => flow.components.find((each) => each.name === name);
  const connection = (name: string) => flow.connections.find((each) => each.name === name);

  const drawComponent = (each: FlowComponent, at: Box): Drawn => {
    const { state, word } = stateOf(each);
    const spec = flow.spec.components[each.name];
    const isBlocked = each.blocked === 'downstream_full';
    const rests = word === 'running' && each.active === 0 && each.blocked ? t.flows.blocked[each.blocked as keyof typeof t.flows.blocked] : undefined;
    const counts = t.flows.counts(formats.number(each.items_in), formats.number(each.items_out), formats.number(each.tasks));
    const status = each.active > 0 ? t.flows.active(formats.number(each.active)) : (rests ?? t.flows.words[word]);
    const kind = [kindOf(spec), when(spec)].filter(Boolean).join(' · ');
    const { fill, stroke } = glyphs[state];
    return {
      key: `c ${each.name}`,
      far: `${each.name}: ${status}`,
      state,
      className: [css.component, isBlocked && css.held, each.bulletins.length > 0 && css.told].filter(Boolean).join(' '),
      plate: (
        <>
          <rect width={at.width} height={at.height} rx="7" className={css.plate} />
          {each.active > 0 && <rect x="0.5" y={at.height - 3} width={at.width - 1} height="3" rx="1.5" className={css.busy} />}
        </>
      ),
      content: (
        <>
          <g transform="translate(12 12)">
            {fill && <path d={fill} fill="currentColor" fillRule="evenodd" />}
            {stroke && <path d={stroke} fill="none" stroke="currentColor" strokeWidth="1.400" strokeLinecap="round" strokeLinejoin="round" />}
          </g>
          <text x="32" y="22" className={css.title}>
            {cut(each.name, at.width - (each.bulletins.length > 0 ? 24 : 0))}
          </text>
          {each.bulletins.length > 0 && (
            <path d={`M${at.width - 22} 23 L${at.width - 15} 11 L${at.width - 8} 23z`} className={css.bulletinMark} data-level={each.bulletins.some(({ level }) => level === 'error') ? 'error' : 'warn'}>
              <title>{t.said.failure(each.bulletins[0]?.message ?? '')}</title>
            </path>
          )}
          <text x="12" y="39" className={css.line}>
            {cut(kind, at.width + 36)}
          </text>
          <text x="12" y="54" className={isBlocked ? css.lineHeld : css.line}>
            {cut(status, at.width + 36)}
          </text>
          <text x="12" y="69" className={css.figures}>
            {counts}
          </text>
        </>
      ),
    };
  };

  const drawQueue = (each: FlowConnection, at: Box): Drawn => {
    const part = fullness(each);
    const holds = t.flows.holds(formats.number(each.items), formats.bytes(each.bytes));
    const label = each.full ? `${relationshipsOf(each)} · ${t.flows.full}` : relationshipsOf(each);
    return {
      key: `q ${each.name}`,
      far: `${t.flows.queueOf(each.from, each.to)}: ${holds}`,
      className: each.full ? css.full : css.queue,
      plate: (
        <>
          <rect width={at.width} height={at.height} rx={at.height / 2} className={css.plate} />
          <rect x="18" y={at.height - 7} width={at.width - 36} height="3" rx="1.5" className={css.track} />
          {part > 0 && <rect x="18" y={at.height - 7} width={Math.max(2, (at.width - 36) * part)} height="3" rx="1.5" className={css.level} />}
        </>
      ),
      content: (
        <>
          <text x={at.width / 2} y="14" textAnchor="middle" className={css.relationship}>
            {cut(label, at.width + 20)}
          </text>
          <text x={at.width / 2} y="28" textAnchor="middle" className={css.holds}>
            {holds}
          </text>
          {/* Who does not see where the lines lead hears it. */}
          <text className={css.ends}>{t.flows.queueOf(each.from, each.to)}</text>
        </>
      ),
    };
  };

  const draw = (index: number, at: Box): Drawn | undefined => {
    const node = graph.nodes[index];
    if (node?.kind === 'component') {
      const found = component(node.name);
      return found && drawComponent(found, at);
    }
    const found = node && connection(node.name);
    return found && drawQueue(found, at);
  };
  const at = graph.nodes.findIndex(({ name }) => name === chosen);
  const close = () => {
    menu?.node.focus();
    setMenu(undefined);
  };
  return (
    <>
      <Canvas
        label={t.flows.canvas}
        drawing={drawing}
        direction={direction}
        least={0.75}
        chosen={new Set(at < 0 ? [] : [at])}
        draw={draw}
        onChoose={(index) => onChoose(graph.nodes[index ?? -1]?.name)}
        onMenu={(index, place, node) => setMenu({ name: graph.nodes[index]?.name ?? '', ...place, node })}
      />
      {menu && (
        <MenuAt x={menu.x} y={menu.y} label={menu.name} onClose={close}>
          <NodeMenu flow={flow} name={menu.name} onQueue={onQueue} />
        </MenuAt>
      )}
    </>
  );
}

/** What can be done with a component or queue, as a menu. */
function NodeMenu({ flow, name, onQueue }: { flow: Flow; name: string; onQueue: (connection: string) => void }) {
  const t = useT();
  const actions = useFlowActions(flow);
  const queues = useQueueActions(flow);
  const component = flow.components.find((each) => each.name === name);
  const connection = flow.connections.find((each) => each.name === name);
  if (component) {
    const all = actions.ofComponent(component);
    const first = all[0]?.command;
    return (
      <>
        <MenuLabel>{name}</MenuLabel>
        {all.map(({ id, label, icon, run, tone, disabledReason }) => (
          <MenuItem key={id} icon={icon} onSelect={run} tone={tone === 'danger' ? 'danger' : 'plain'} disabledReason={disabledReason}>
            {label}
          </MenuItem>
        ))}
        <MenuLine />
        {first && first !== 'local' && <CopyItems command={first} />}
      </>
    );
  }
  if (!connection) return null;
  return (
    <>
      <MenuLabel>{name}</MenuLabel>
      <MenuItem icon={List} onSelect={() => onQueue(name)}>
        {t.flows.openQueue}
      </MenuItem>
      <MenuItem icon={Eraser} tone="danger" onSelect={() => queues.dropAll(connection)} disabledReason={connection.items === 0 ? t.flows.isEmpty : undefined}>
        {t.flows.dropAll}
      </MenuItem>
      <MenuLine />
      <CopyItems command={queues.commandOf(connection)} />
    </>
  );
}
