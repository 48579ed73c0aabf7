import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function SettingsPage() {
  const t = useT();
  return <RawPage title={t.shell.settings} path="/api/v1/info" topics={[]} />;
}
