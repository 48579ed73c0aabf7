import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function ClusterPage() {
  const t = useT();
  return <RawPage title={t.shell.cluster} path="/api/v1/cluster" topics={['cluster']} />;
}
