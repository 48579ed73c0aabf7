import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function WorkersPage() {
  const t = useT();
  return <RawPage title={t.shell.workers} path="/api/v1/workers" topics={['workers']} />;
}
