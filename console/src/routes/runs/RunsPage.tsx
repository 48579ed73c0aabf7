import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { runsRoute } from './routes';

export function RunsPage() {
  const t = useT();
  const { ns } = runsRoute.useParams();
  return <RawPage title={t.shell.runs} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/runs`} topics={['runs']} />;
}
