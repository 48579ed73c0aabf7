import { Link } from '@tanstack/react-router';
import { Shuffle } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { Dialog } from '@/components/Dialog';
import { useFormats, useT } from '@/i18n';
import css from './Dashboard.module.css';
import type { Dashboard } from './queries';

/** Says how fires that come together are spread, and leads to the jobs. */
export function Spread({ peak }: { peak: Dashboard['next_hour'][number] }) {
  const t = useT();
  const formats = useFormats();
  const [open, setOpen] = useState(false);
  return (
    <>
      {' '}
      <Button size="s" icon={Shuffle} onClick={() => setOpen(true)}>
        {t.dashboard.spread}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.dashboard.spreadTitle(t.dashboard.fires(peak.fires, formats.number(peak.fires)))} description={t.dashboard.spreadText}>
        <CommandLine text="jitter: 5m" />
        <p className={css.quiet}>{t.dashboard.spreadJobs}</p>
        <ul className={css.upcoming}>
          {peak.top.map(({ namespace, job }) => (
            <li key={`${namespace}/${job}`}>
              <Link to="/ns/$ns/jobs/$job/edit" params={{ ns: namespace, job }}>
                {job}
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}
