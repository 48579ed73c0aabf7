import { Link } from '@tanstack/react-router';
import { useT } from '@/i18n';

/** A worker by its name, wherever one is told: leads to its page. */
export function WorkerLink({ ns, name }: { ns: string; name: string }) {
  return (
    <Link to="/ns/$ns/workers/$worker" params={{ ns, worker: name }}>
      {name}
    </Link>
  );
}

/** A node of the cluster by its name. */
export function NodeLink({ name }: { name: string }) {
  return (
    <Link to="/cluster/nodes/$node" params={{ node: name }}>
      {name}
    </Link>
  );
}

/** Who executes a run or an attempt, or has executed it: a worker or a node, with the way to its page. */
export function ExecutorLink({ of, ns }: { of: { worker?: string | null; node?: string | null }; ns: string }) {
  const t = useT();
  if (of.worker) return <WorkerLink ns={ns} name={of.worker} />;
  return of.node ? <NodeLink name={of.node} /> : t.common.none;
}
