import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { CopyItems } from '@/components/ActionBar';
import { IconButton } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingYet } from '@/components/Feedback';
import { Instant } from '@/components/Instant';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import css from './Alerts.module.css';
import { conditionsOf } from './form';
import { useConditionWords } from './parts';
import { type Rule, rulesQuery } from './queries';
import { useAlertActions } from './useAlertActions';

/** Who is told of what, for many jobs: those of all namespaces, and those of the one that is shown. */
export function Rules({ ns, onEdit }: { ns: string; onEdit: (rule: Rule) => void }) {
  const t = useT();
  const formats = useFormats();
  const say = useConditionWords();
  const query = useQuery(rulesQuery);
  const act = useAlertActions();
  const scope = ({ spec }: Rule) => [spec.job ? `${spec.namespace ?? ''}/${spec.job}` : spec.namespace, ...Object.entries(spec.labels ?? {}).map(([key, value]) => `${key}=${value}`)].filter(Boolean).join(' ') || t.alerts.allJobs;
  const columns: Column<Rule>[] = [
    {
      id: 'name',
      header: t.alerts.name,
      cell: (rule) => (
        <div className={css.what}>
          <strong>{rule.name}</strong>
          <span className={css.below}>{scope(rule)}</span>
        </div>
      ),
    },
    { id: 'scope', header: t.alerts.scope, width: '16rem', wide: true, cell: scope },
    {
      id: 'alerts',
      header: t.alerts.tells,
      cell: ({ spec }) => (
        <ul className={css.tells}>
          {spec.alerts.map((alert, index) => (
            <li key={index}>
              {conditionsOf(alert).map(say).join(t.common.listComma)} <span className={css.quiet}>→ {formats.list(alert.channels)}</span>
            </li>
          ))}
        </ul>
      ),
    },
    { id: 'changed', header: t.alerts.changed, width: '12rem', wide: true, cell: ({ updated_at }) => <Instant at={updated_at} /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (rule) => (
        <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={Pencil} onSelect={() => onEdit(rule)}>
            {t.alerts.change}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => void confirm({ title: t.alerts.removeTitle(rule.name), text: t.alerts.removeRuleText, action: t.alerts.remove, tone: 'danger', command: { cli: ['alert', 'rule', 'delete', rule.name], http: { method: 'DELETE', path: fillPath('/api/v1/alert-rules/{rule}', { rule: rule.name }) } } }).then((yes) => yes && act.removeRule(rule))}>
            {t.alerts.remove}
          </MenuItem>
          <MenuLine />
          <CopyItems command={{ cli: ['alert', 'rule', 'get', rule.name], http: { method: 'GET', path: fillPath('/api/v1/alert-rules/{rule}', { rule: rule.name }) } }} />
        </Menu>
      ),
    },
  ];
  return (
    <Loaded query={query} what={t.alerts.tabs.rules}>
      {(rules) => (
        <>
          <DataTable
            label={t.alerts.tabs.rules}
            columns={columns}
            rows={rules.filter(({ spec }) => ns === '-' || !spec.namespace || spec.namespace === ns)}
            rowKey={({ name }) => name}
            rowName={({ name }) => name}
            onOpen={onEdit}
            empty={<NothingYet what={t.alerts.rulesWhat}>{t.alerts.rulesEmpty}</NothingYet>}
          />
          <p className={css.quiet}>
            {t.alerts.alsoInFiles} <code>{'alerts: [{failed: true, channels: […]}]'}</code>
          </p>
        </>
      )}
    </Loaded>
  );
}
