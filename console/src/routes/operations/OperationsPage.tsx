import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ban } from 'lucide-react';
import { type Operation, cancelOperation, operationsQuery } from '@/api/operations';
import { CopyMenu } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Dialog } from '@/components/Dialog';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant, Took } from '@/components/Instant';
import { Facts, Page } from '@/components/Page';
import { Progress } from '@/components/Progress';
import { Who } from '@/components/Who';
import { toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import css from './Operations.module.css';
import { operationsRoute } from './routes';

/** What was done to many jobs at once, lately: how far it is, and what failed. */
export function OperationsPage() {
  const t = useT();
  const navigate = useNavigate();
  const { id } = operationsRoute.useSearch();
  const query = useQuery(operationsQuery);
  const columns = useColumns();
  const open = (operation: string | undefined) => void navigate({ to: '.', search: { id: operation }, replace: true });
  return (
    <Page title={t.shell.operations}>
      <Loaded query={query} what={t.shell.operations}>
        {({ items }) => {
          const shown = items.find((operation) => operation.id === id);
          return (
            <>
              <DataTable
                label={t.shell.operations}
                columns={columns}
                rows={items}
                rowKey={(operation) => operation.id}
                rowName={(operation) => `${t.operations.actions[operation.action]} ${operation.total}`}
                onOpen={(operation) => open(operation.id)}
                rowTone={(operation) => (operation.failed > 0 ? 'bad' : undefined)}
                empty={<NothingYet what={t.shell.operations}>{t.operations.emptyText}</NothingYet>}
              />
              {shown && <Details operation={shown} onClose={() => open(undefined)} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function useColumns(): Column<Operation>[] {
  const t = useT();
  const formats = useFormats();
  return [
    { id: 'action', header: t.operations.action, width: '8rem', cell: (operation) => <strong>{t.operations.actions[operation.action]}</strong> },
    { id: 'state', header: t.operations.state, width: '8rem', cell: (operation) => <State operation={operation} /> },
    {
      id: 'progress',
      header: t.operations.progress,
      width: '19rem',
      cell: (operation) => (
        <span className={css.bar}>
          <Progress label={t.operations.progress} done={operation.done} failed={operation.failed} total={operation.total} />
          <span>
            {t.jobs.working(formats.number(operation.done), formats.number(operation.total))}
            {operation.failed > 0 && <span className={css.state} data-bad>{` · ${t.operations.failed(formats.number(operation.failed))}`}</span>}
          </span>
        </span>
      ),
    },
    { id: 'namespace', header: t.shell.namespace, width: '9rem', wide: true, cell: (operation) => operation.namespace },
    { id: 'reason', header: t.common.reason, wide: true, cell: (operation) => operation.reason ?? '' },
    { id: 'started', header: t.operations.started, width: '11.5rem', cell: (operation) => <Instant at={operation.started_at} /> },
    { id: 'took', header: t.operations.took, width: '6rem', align: 'end', wide: true, cell: (operation) => <Took from={operation.started_at} to={operation.ended_at} /> },
  ];
}

function State({ operation }: { operation: Operation }) {
  const t = useT();
  const word = operation.cancel_asked && operation.state === 'running' ? t.operations.cancelling : t.operations.states[operation.state];
  return (
    <span className={css.state} data-bad={operation.state === 'interrupted' || undefined}>
      {word}
    </span>
  );
}

function Details({ operation, onClose }: { operation: Operation; onClose: () => void }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelOperation(operation.id),
    onSuccess: () => void client.invalidateQueries({ queryKey: operationsQuery.queryKey }),
    onError: (error) => toastError(t.operations.cancel, error),
  });
  const { errors = [] } = operation;
  const ofRuns = operation.action === 'rerun';
  return (
    <Dialog
      open
      onClose={onClose}
      width="l"
      title={`${t.operations.actions[operation.action]} · ${(ofRuns ? t.operations.runCount : t.jobs.jobCount)(operation.total, formats.number(operation.total))}`}
      footer={
        <>
          {operation.state === 'running' && <CopyMenu command={{ http: { method: 'POST', path: fillPath('/api/v1/operations/{operation}/cancel', { operation: operation.id }), body: {} } }} ready />}
          {operation.state === 'running' && (
            <Button icon={Ban} tone="danger" busy={cancel.isPending} disabled={operation.cancel_asked} onClick={() => cancel.mutate()}>
              {t.operations.cancel}
            </Button>
          )}
          <Button onClick={onClose}>{t.common.close}</Button>
        </>
      }
    >
      <Facts
        rows={[
          [t.operations.state, <State key="state" operation={operation} />],
          [t.operations.progress, t.jobs.working(formats.number(operation.done), formats.number(operation.total))],
          [t.shell.namespace, operation.namespace],
          [t.operations.started, <Instant key="at" at={operation.started_at} date />],
          operation.by ? [t.operations.by, <Who key="by" by={operation.by} />] : undefined,
          operation.reason ? [t.common.reason, operation.reason] : undefined,
          [t.operations.id, <code key="id">{operation.id}</code>],
        ]}
      />
      {errors.length > 0 && (
        <table className={css.errors}>
          <caption>{t.operations.errors(formats.number(operation.failed), formats.number(errors.length))}</caption>
          <thead>
            <tr>
              <th scope="col">{ofRuns ? t.runs.id : t.jobs.name}</th>
              <th scope="col">{t.operations.error}</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ name, code, message }) => (
              <tr key={name}>
                <td>
                  {ofRuns ? (
                    <Link to="/ns/$ns/runs/$run" params={{ ns: operation.namespace, run: name }}>
                      {name}
                    </Link>
                  ) : (
                    <Link to="/ns/$ns/jobs/$job" params={{ ns: operation.namespace, job: name }}>
                      {name}
                    </Link>
                  )}
                </td>
                <td>
                  {message} <code className={css.quiet}>{code}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}
