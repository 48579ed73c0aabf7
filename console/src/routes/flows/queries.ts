import { queryOptions } from '@tanstack/react-query';
import { api, ask, raw, send } from '@/api/client';
import type { Problem } from '@/api/problem';
import type { components } from '@/api/schema';
import { fillPath } from '@/lib/commands';

export type Flow = components['schemas']['Flow'];
export type FlowSummary = components['schemas']['FlowSummary'];
export type FlowComponent = components['schemas']['FlowComponent'];
export type FlowConnection = components['schemas']['FlowConnection'];
export type FlowItem = components['schemas']['FlowItem'];
export type FlowMinute = components['schemas']['FlowMinute'];
export type FlowAction = components['schemas']['FlowAction'];
export type ComponentSpec = components['schemas']['ComponentSpec'];
export type ConnectionSpec = components['schemas']['ConnectionSpec'];

export const FLOW = '/api/v1/namespaces/{namespace}/flows/{flow}';
/** Items of a queue that are listed. */
export const LISTED = 100;

export const flowListQuery = queryOptions({
  queryKey: ['flows'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/flows', { signal })),
  meta: { topics: ['flows', 'stats'], every: 5000 },
});

// What a flow does is counted all the time: it is asked for with the beat of the stream.
export const flowQuery = (namespace: string, flow: string) =>
  queryOptions({
    queryKey: ['flow', namespace, flow],
    queryFn: ({ signal }) => ask(api.GET(FLOW, { params: { path: { namespace, flow } }, signal })),
    meta: { topics: ['stats', `flow:${namespace}/${flow}`], every: 1000 },
    retry: false,
  });

// A minute is kept when it is over.
export const historyQuery = (namespace: string, flow: string, of: string) =>
  queryOptions({
    queryKey: ['flow-history', namespace, flow, of],
    queryFn: ({ signal }) => ask(api.GET(`${FLOW}/history`, { params: { path: { namespace, flow }, query: { of } }, signal })),
    meta: { topics: ['stats'], every: 15_000 },
    retry: false,
  });

export const linesQuery = (namespace: string, flow: string, component: string) =>
  queryOptions({
    queryKey: ['flow-log', namespace, flow, component],
    queryFn: ({ signal }) => ask(api.GET(`${FLOW}/components/{component}/log`, { params: { path: { namespace, flow, component } }, signal })),
    meta: { topics: ['stats'], every: 2000 },
  });

export const itemsQuery = (namespace: string, flow: string, connection: string) =>
  queryOptions({
    queryKey: ['flow-queue', namespace, flow, connection],
    queryFn: ({ signal }) => raw<FlowItem[]>('GET', `${fillPath(`${FLOW}/queues/{connection}`, { namespace, flow, connection })}?limit=${LISTED}`, undefined, signal),
    meta: { topics: ['stats'], every: 2000 },
  });

export const itemQuery = (namespace: string, flow: string, item: number) =>
  queryOptions({
    queryKey: ['flow-item', namespace, flow, item],
    queryFn: ({ signal }) => ask(api.GET(`${FLOW}/items/{item}`, { params: { path: { namespace, flow, item } }, signal })),
    retry: false,
  });

/** Reads a flow as a file, with its version and what it says. */
export async function readFlowFile(namespace: string, flow: string, signal?: AbortSignal) {
  const path = fillPath(FLOW, { namespace, flow });
  const { spec, version } = JSON.parse(await send({ method: 'GET', path, signal })) as Flow;
  return { text: await send({ method: 'GET', path: `${path}/file`, signal }), version, spec: JSON.stringify(spec) };
}

/** The flow as a file. What is edited does not change under the editor. */
export const flowFileQuery = (namespace: string, flow: string) =>
  queryOptions({
    queryKey: ['flow-file', namespace, flow],
    queryFn: ({ signal }) => readFlowFile(namespace, flow, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export async function changeFlow(namespace: string, flow: string, action: FlowAction, names?: readonly string[]): Promise<Flow> {
  return ask(api.POST(`${FLOW}/components`, { params: { path: { namespace, flow } }, body: { action, ...(names ? { components: [...names] } : {}) } }));
}

/** Saves a flow: the body is JSON as text, so that no number loses digits. Version 0 is for one that is new. */
export async function putFlow(namespace: string, flow: string, json: string, version: number): Promise<Flow> {
  const headers: Record<string, string> = version === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
  return JSON.parse(await send({ method: 'PUT', path: fillPath(FLOW, { namespace, flow }), body: json, headers })) as Flow;
}

/** Has a flow checked, without saving it. */
export async function checkFlow(namespace: string, flow: string, json: string, signal: AbortSignal): Promise<{ errors: Problem[]; warnings: Problem[] }> {
  return JSON.parse(await send({ method: 'POST', path: fillPath(`${FLOW}/check`, { namespace, flow }), body: json, signal })) as { errors: Problem[]; warnings: Problem[] };
}
