import { useQuery } from '@tanstack/react-query';
import { useFormats, useT } from '@/i18n';
import css from './Approvals.module.css';
import { approvalCountQuery } from './queries';

/** How many approvals wait, beside the name of their page; nothing when none does. */
export function ApprovalBadge({ ns }: { ns: string }) {
  const t = useT();
  const formats = useFormats();
  const { data = 0 } = useQuery(approvalCountQuery(ns));
  if (data === 0) return null;
  const count = data >= 100 ? '99+' : formats.number(data);
  return (
    <span className={css.badge}>
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{t.approvals.waiting(count)}</span>
    </span>
  );
}
