import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { jobRoute } from './routes';

export function JobPage() {
  const t = useT();
  const { ns, job } = jobRoute.useParams();
  return <RawPage title={t.shell.jobs} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/jobs/${encodeURIComponent(job)}`} topics={[`job:${ns}/${job}`]} />;
}
