import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { dashboardRoute } from './routes';

export function DashboardPage() {
  const t = useT();
  const { ns } = dashboardRoute.useParams();
  return <RawPage title={t.shell.dashboard} path={`/api/v1/next?namespace=${encodeURIComponent(ns)}`} topics={['runs']} />;
}
