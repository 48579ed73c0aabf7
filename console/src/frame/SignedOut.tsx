import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '@/components/Dialog';
import { useT } from '@/i18n';
import { resumeLive } from '@/lib/live';
import { session, signedIn } from '@/lib/session';
import { useStore } from '@/lib/store';
import { TokenForm } from '@/routes/login/TokenForm';

/** Asks for a new sign-in over the page, which keeps what is in its forms. */
export function SignedOut() {
  const t = useT();
  const client = useQueryClient();
  const ended = useStore(session) === 'ended';
  return (
    <Dialog open={ended} firm onClose={() => undefined} title={t.shell.signedOutTitle} description={t.shell.signedOutText}>
      <TokenForm
        onDone={() => {
          signedIn();
          resumeLive();
          void client.refetchQueries({ type: 'active' });
        }}
      />
    </Dialog>
  );
}
