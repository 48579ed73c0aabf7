import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BellOff, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/Button';
import { Page } from '@/components/Page';
import { TabPanel, Tabs } from '@/components/Tabs';
import { useT } from '@/i18n';
import { ChannelDialog } from './ChannelDialog';
import { Channels } from './Channels';
import { Deliveries } from './Deliveries';
import { Open } from './Open';
import { RuleDialog } from './RuleDialog';
import { Rules } from './Rules';
import { SilenceDialog, type SilenceOf } from './SilenceDialog';
import { Silences } from './Silences';
import { type Channel, type Rule, channelsQuery } from './queries';
import { alertTabs, alertsRoute } from './routes';
import css from './Alerts.module.css';

type Editing = { what: 'channel'; of?: Channel } | { what: 'rule'; of?: Rule } | { what: 'silence'; of: SilenceOf };

/** What is wrong with jobs, who is told of it and where, what was sent, and what is not told for a while. */
export function AlertsPage() {
  const t = useT();
  const { ns } = alertsRoute.useParams();
  const { tab = 'open', channel } = alertsRoute.useSearch();
  const navigate = useNavigate();
  const [editing, setEditing] = useState<Editing>();
  const channels = useQuery(channelsQuery).data;
  const show = (search: { tab?: (typeof alertTabs)[number] | undefined; channel?: string | undefined }) => void navigate({ to: '.', search: search as never, replace: true });
  const close = () => setEditing(undefined);
  const addChannel = () => setEditing({ what: 'channel' });
  const addRule = () => setEditing({ what: 'rule' });
  const silence = (of: SilenceOf) => setEditing({ what: 'silence', of });
  // A rule without a channel cannot be saved.
  const first = channels?.length === 0;
  return (
    <Page
      title={t.shell.alerts}
      actions={
        <div className={css.actions}>
          <Button icon={BellOff} onClick={() => silence({ ...(ns === '-' ? {} : { namespace: ns }) })}>
            {t.alerts.silence}
          </Button>
          <Button icon={Plus} tone={first || tab === 'channels' ? 'primary' : 'plain'} onClick={addChannel}>
            {t.alerts.addChannel}
          </Button>
          <Button icon={Plus} tone={first || tab === 'channels' ? 'plain' : 'primary'} disabledReason={first ? t.alerts.channelFirst : undefined} onClick={addRule}>
            {t.alerts.addRule}
          </Button>
        </div>
      }
    >
      <Tabs label={t.shell.alerts} value={tab} onChange={(next) => show({ tab: next === 'open' ? undefined : next })} tabs={alertTabs.map((name) => [name, t.alerts.tabs[name]] as const)}>
        <TabPanel value="open">{tab === 'open' && <Open ns={ns} onSilence={silence} />}</TabPanel>
        <TabPanel value="rules">{tab === 'rules' && <Rules ns={ns} onEdit={(of) => setEditing({ what: 'rule', of })} />}</TabPanel>
        <TabPanel value="channels">{tab === 'channels' && <Channels onEdit={(of) => setEditing({ what: 'channel', of })} onShow={(name) => show({ tab: 'deliveries', channel: name })} />}</TabPanel>
        <TabPanel value="deliveries">{tab === 'deliveries' && <Deliveries channel={channel} channels={channels ?? []} onChannel={(name) => show({ tab: 'deliveries', channel: name })} />}</TabPanel>
        <TabPanel value="silences">{tab === 'silences' && <Silences />}</TabPanel>
      </Tabs>
      {editing?.what === 'channel' && <ChannelDialog channel={editing.of} onClose={close} />}
      {editing?.what === 'rule' && <RuleDialog rule={editing.of} ns={ns} channels={channels ?? []} onClose={close} />}
      {editing?.what === 'silence' && <SilenceDialog of={editing.of} onClose={close} />}
    </Page>
  );
}
