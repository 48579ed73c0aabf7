import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';
import { runRoute } from './routes';

export function RunPage() {
  const t = useT();
  const { run } = runRoute.useParams();
  return <RawPage title={t.shell.runs} path={`/api/v1/runs/${encodeURIComponent(run)}`} topics={[`run:${run}`]} />;
}
