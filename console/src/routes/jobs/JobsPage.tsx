import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { jobsRoute } from './routes';

export function JobsPage() {
  const t = useT();
  const { ns } = jobsRoute.useParams();
  return <RawPage title={t.shell.jobs} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/jobs`} topics={['jobs']} />;
}
