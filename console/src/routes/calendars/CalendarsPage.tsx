import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { calendarsRoute } from './routes';

export function CalendarsPage() {
  const t = useT();
  const { ns } = calendarsRoute.useParams();
  return <RawPage title={t.shell.calendars} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/calendars`} topics={['jobs']} />;
}
