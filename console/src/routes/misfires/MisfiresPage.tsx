import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { misfiresRoute } from './routes';

export function MisfiresPage() {
  const t = useT();
  const { ns } = misfiresRoute.useParams();
  return <RawPage title={t.shell.misfires} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/triggers`} topics={['jobs']} />;
}
