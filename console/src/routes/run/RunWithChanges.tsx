import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { exactText } from '@/api/client';
import { Dialog } from '@/components/Dialog';
import { Loaded } from '@/components/Feedback';
import { useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { member, parseExact } from '@/lib/json';
import { RunNow } from '../job/RunNow';
import { givenOf } from '../job/given';
import { jobQuery } from '../job/queries';
import type { Run } from './queries';

/** Starts the job of a run anew, from a form with the input of that run. */
export function RunWithChanges({ run, onClose }: { run: Run; onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const job = useQuery(jobQuery(run.namespace, run.job));
  const exact = useQuery({
    queryKey: ['run-exact', run.id, run.state],
    queryFn: async ({ signal }) => parseExact(await exactText(fillPath('/api/v1/runs/{run}', { run: run.id }), signal)),
  });
  if (!job.data || !exact.data) {
    return (
      <Dialog open onClose={onClose} title={t.run.withChanges}>
        <Loaded query={job} what={t.jobDetail.a}>
          {() => (
            <Loaded query={exact} what={t.run.input}>
              {() => null}
            </Loaded>
          )}
        </Loaded>
      </Dialog>
    );
  }
  return (
    <RunNow
      job={job.data}
      given={givenOf(member(exact.data, 'input'), Object.keys(job.data.spec.params ?? {}))}
      title={t.run.withChanges}
      description={t.run.withChangesText}
      onStarted={(next) => void navigate({ to: '/ns/$ns/runs/$run', params: { ns: next.namespace, run: next.id } })}
      onClose={onClose}
    />
  );
}
