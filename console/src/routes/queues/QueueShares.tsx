import { useFormats, useT } from '@/i18n';
import type { QueueWaiting } from './queries';
import css from './Queues.module.css';

/** What each namespace has waiting and running, and its part of what leaves next. */
export function QueueShares({ namespaces }: { namespaces: QueueWaiting['namespaces'] }) {
  const t = useT();
  const formats = useFormats();
  return (
    <table className={css.shares}>
      <caption>{t.queues.sharesText}</caption>
      <thead>
        <tr>
          <th scope="col">{t.shell.namespace}</th>
          <th scope="col">{t.queues.waiting}</th>
          <th scope="col">{t.queues.running}</th>
          <th scope="col">{t.queues.share}</th>
        </tr>
      </thead>
      <tbody>
        {namespaces.map(({ namespace, count, running, share_permille = 0 }) => (
          <tr key={namespace}>
            <th scope="row">{namespace}</th>
            <td>{formats.number(count)}</td>
            <td>{formats.number(running ?? 0)}</td>
            <td>
              <span className={css.share}>
                {`${formats.number(Math.round(share_permille / 10))} %`}
                <meter min={0} max={1000} value={share_permille} aria-label={t.queues.share} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
