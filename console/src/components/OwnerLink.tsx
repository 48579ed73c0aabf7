import { Link } from '@tanstack/react-router';
import { quoted } from '@/lib/query';

/** Who owns a job, wherever it is told: leads to the jobs that they own. */
export function OwnerLink({ ns, owner }: { ns: string; owner: string }) {
  return (
    <Link to="/ns/$ns/jobs" params={{ ns }} search={{ q: `owner:${quoted(owner)}` }}>
      {owner}
    </Link>
  );
}
