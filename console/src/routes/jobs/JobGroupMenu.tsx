import { useQuery } from '@tanstack/react-query';
import { GroupMenu } from '@/components/GroupMenu';
import { MenuChoice } from '@/components/Menu';
import { useT } from '@/i18n';
import { GROUP_FIELDS, groupByOf } from './groups';
import { labelNamesQuery } from './queries';

export interface JobGroupMenuProps {
  ns: string;
  group: string | undefined;
  onGroup: (group: string | undefined) => void;
}

/** Chooses by what the list is grouped: a field, or a label that jobs have. */
export function JobGroupMenu({ ns, group, onGroup }: JobGroupMenuProps) {
  const t = useT();
  const by = groupByOf(group);
  const chosen = by && (by.field === 'label' ? by.label : t.jobs.groupFields[by.field]);
  return (
    <GroupMenu chosen={chosen}>
      <Choices ns={ns} group={group} onGroup={onGroup} />
    </GroupMenu>
  );
}

/** Apart from the menu, so that labels are looked for only when it is open. */
function Choices({ ns, group, onGroup }: JobGroupMenuProps) {
  const t = useT();
  const labels = useQuery(labelNamesQuery(ns)).data ?? [];
  const fields = GROUP_FIELDS.filter((field) => field !== 'namespace' || ns === '-').map((field) => [field as string, t.jobs.groupFields[field]] as const);
  return (
    <MenuChoice<string>
      value={group ?? ''}
      onChange={(next) => onGroup(next || undefined)}
      options={[['', t.jobs.noGroup], ...fields, ...labels.map((label) => [`label:${label}`, t.jobs.groupLabel(label)] as const)]}
    />
  );
}
