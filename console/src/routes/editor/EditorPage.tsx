import { RawPage } from '@/components/RawPage';
import { useT } from '@/i18n';

export function EditorPage() {
  const t = useT();
  return <RawPage title={t.shell.jobs} path="/api/v1/info" topics={[]} />;
}
