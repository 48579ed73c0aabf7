import { Link } from '@tanstack/react-router';

/** A worker by its name, wherever one is told: leads to its page. */
export function WorkerLink({ ns, name }: { ns: string; name: string }) {
  return (
    <Link to="/ns/$ns/workers/$worker" params={{ ns, worker: name }}>
      {name}
    </Link>
  );
}
