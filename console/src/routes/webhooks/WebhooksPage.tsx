import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function WebhooksPage() {
  const t = useT();
  return <RawPage title={t.shell.webhooks} path="/api/v1/webhooks" topics={[]} />;
}
