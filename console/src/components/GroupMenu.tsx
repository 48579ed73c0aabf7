import { Rows3 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/i18n';
import { Button } from './Button';
import { Menu, MenuLabel } from './Menu';

/** A menu of that by which a list is grouped. Its choices are drawn, and what they ask for is fetched, once it is open. */
export function GroupMenu({ chosen, children }: { chosen: string | undefined; children: ReactNode }) {
  const t = useT();
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={Rows3}>
          {chosen === undefined ? t.jobs.byLabel : t.jobs.groupedBy(chosen)}
        </Button>
      }
    >
      <MenuLabel>{t.jobs.byLabel}</MenuLabel>
      {children}
    </Menu>
  );
}
