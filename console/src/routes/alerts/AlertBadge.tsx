import { useQuery } from '@tanstack/react-query';
import { useFormats, useT } from '@/i18n';
import css from '../approvals/Approvals.module.css';
import { openAlertsQuery } from './queries';

/** How many alerts are open, beside the name of their page; nothing when none is. */
export function AlertBadge({ ns }: { ns: string }) {
  const t = useT();
  const formats = useFormats();
  const { data = [] } = useQuery({ ...openAlertsQuery(ns), retry: false });
  if (data.length === 0) return null;
  const count = data.length >= 100 ? '99+' : formats.number(data.length);
  return (
    <span className={css.badge}>
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{t.alerts.openCount(count)}</span>
    </span>
  );
}
