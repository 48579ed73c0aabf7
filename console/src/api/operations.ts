import { queryOptions } from '@tanstack/react-query';
import { api, ask, idempotencyKey } from './client';
import type { components } from './schema';

export type Operation = components['schemas']['Operation'];
export type OperationSpec = components['schemas']['OperationSpec'];
export type OperationAction = components['schemas']['OperationAction'];

const LISTED = 100;

/** How far an operation is. Asked once a second until it is over. */
export const operationQuery = (id: string) =>
  queryOptions({
    queryKey: ['operation', id],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/operations/{operation}', { params: { path: { operation: id } }, signal })),
    enabled: ({ state }) => state.data === undefined || state.data.state === 'running',
    meta: { topics: ['stats'], every: 600 },
  });

/** The newest operations of the last week. */
export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: ({ signal }) => ask(api.GET('/api/v1/operations', { params: { query: { limit: LISTED } }, signal })),
  meta: { topics: ['stats'], every: 1500 },
});

export function beginOperation(spec: OperationSpec): Promise<Operation> {
  return ask(api.POST('/api/v1/operations', { params: { header: { 'Idempotency-Key': idempotencyKey() } }, body: spec }));
}

/** Says how many jobs or runs an operation would be done to. */
export function planOperation(spec: OperationSpec): Promise<Operation> {
  return ask(api.POST('/api/v1/operations', { params: { query: { dry_run: true }, header: { 'Idempotency-Key': idempotencyKey() } }, body: spec }));
}

export function cancelOperation(id: string): Promise<Operation> {
  return ask(api.POST('/api/v1/operations/{operation}/cancel', { params: { path: { operation: id }, header: { 'Idempotency-Key': idempotencyKey() } } }));
}
