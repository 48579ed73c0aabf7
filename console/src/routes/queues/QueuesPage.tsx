import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function QueuesPage() {
  const t = useT();
  return <RawPage title={t.shell.queues} path="/api/v1/queues" topics={['queues']} />;
}
