import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Plus, SlidersHorizontal, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { CommandLine } from '@/components/Copy';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches, NothingYet } from '@/components/Feedback';
import { TextInput } from '@/components/Field';
import { Menu, MenuItem, MenuLine } from '@/components/Menu';
import { Page } from '@/components/Page';
import { TabPanel, Tabs } from '@/components/Tabs';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { AppDialog } from './AppDialog';
import { Instances } from './Instances';
import { Moved } from './Moved';
import { Reported } from './Reported';
import { TokenDialog } from './TokenDialog';
import css from './Xxl.module.css';
import { type XxlApp, type XxlInstance, appsQuery, instancesQuery } from './queries';
import { xxlRoute } from './routes';
import { useXxlActions } from './useXxlActions';

/** The apps of XXL-JOB's executors, and where each page of XXL-JOB's console is now. */
export function XxlPage() {
  const t = useT();
  const { tab = 'apps' } = xxlRoute.useSearch();
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  return (
    <Page
      title={t.xxl.title}
      actions={
        <Button tone="primary" icon={Plus} onClick={() => setMaking(true)}>
          {t.xxl.create}
        </Button>
      }
    >
      <Tabs label={t.xxl.title} value={tab} onChange={(next) => void navigate({ to: '.', search: { tab: next === 'apps' ? undefined : next }, replace: true })} tabs={[['apps', t.xxl.apps], ['report', t.xxl.report.title], ['moved', t.xxl.moved]]}>
        <TabPanel value="apps">{tab === 'apps' && <Apps onMake={() => setMaking(true)} />}</TabPanel>
        <TabPanel value="report">{tab === 'report' && <Reported />}</TabPanel>
        <TabPanel value="moved">{tab === 'moved' && <Moved />}</TabPanel>
      </Tabs>
      {making && <AppDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Apps({ onMake }: { onMake: () => void }) {
  const t = useT();
  const formats = useFormats();
  const { app: chosen, q = '' } = xxlRoute.useSearch();
  const navigate = useNavigate();
  const apps = useQuery(appsQuery);
  const instances = useQuery(instancesQuery);
  const [changing, setChanging] = useState<XxlApp>();
  const [rotating, setRotating] = useState<XxlApp>();
  const act = useXxlActions();
  const set = (change: object) => void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never);
  const of = (app: string): XxlInstance[] => (instances.data ?? []).filter((each) => each.app === app);
  const columns: Column<XxlApp>[] = [
    {
      id: 'name',
      header: t.xxl.app,
      cell: ({ name, title, warnings = [] }) => (
        <span className={css.app}>
          <strong>{name}</strong>
          {title && <span className={css.quiet}>{title}</span>}
          {warnings.map((warning) => (
            <span key={warning} className={css.warning}>
              <TriangleAlert size={12} aria-hidden="true" /> {warning}
            </span>
          ))}
        </span>
      ),
    },
    {
      id: 'alive',
      header: t.xxl.executors,
      width: '9rem',
      align: 'end',
      cell: ({ name }) => {
        const all = of(name);
        const alive = all.filter((each) => each.alive).length;
        return <span className={all.length > 0 && alive === 0 ? css.bad : undefined}>{t.xxl.aliveOf(formats.number(alive), formats.number(all.length))}</span>;
      },
    },
    { id: 'queue', header: t.xxl.queue, width: '14rem', wide: true, cell: ({ queue }) => <code>{queue}</code> },
    { id: 'slots', header: t.xxl.slots, width: '10rem', align: 'end', wide: true, cell: ({ slots }) => formats.number(slots) },
    { id: 'token', header: t.xxl.tokens, width: '14rem', wide: true, cell: ({ previous_token_until }) => (previous_token_until ? t.xxl.twoTokens : t.xxl.oneToken) },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (app) => (
        <Menu trigger={<IconButton label={`${t.common.moreActions}: ${app.name}`} icon={Ellipsis} tip={false} />}>
          <MenuItem icon={KeyRound} onSelect={() => setRotating(app)}>
            {t.xxl.rotate}
          </MenuItem>
          <MenuItem icon={SlidersHorizontal} onSelect={() => setChanging(app)}>
            {t.xxl.change}
          </MenuItem>
          <MenuItem icon={Trash2} tone="danger" onSelect={() => act.remove(app.name)}>
            {t.xxl.remove}
          </MenuItem>
          <MenuLine />
          <CopyItems command={{ cli: ['xxl', 'app', 'get', app.name], http: { method: 'GET', path: fillPath('/api/v1/xxl/apps/{app}', { app: app.name }) } }} />
        </Menu>
      ),
    },
  ];
  return (
    <Loaded query={apps} what={t.xxl.what}>
      {(all) => {
        if (all.length === 0) {
          return (
            <NothingYet
              what={t.xxl.what}
              actions={
                <Button tone="primary" icon={Plus} onClick={onMake}>
                  {t.xxl.create}
                </Button>
              }
            >
              {t.xxl.emptyText}
              <CommandLine text="mainspring xxl app create demo-app" />
            </NothingYet>
          );
        }
        const wanted = q.trim().toLowerCase();
        const shown = all.filter(({ name, title }) => `${name} ${title ?? ''}`.toLowerCase().includes(wanted));
        const app = all.find(({ name }) => name === chosen) ?? (all.length === 1 ? all[0] : undefined);
        return (
          <div className={css.parts}>
            <TextInput className={css.search} data-page-search aria-label={t.xxl.find} placeholder={t.xxl.find} value={q} onChange={(event) => set({ q: event.target.value || undefined })} />
            <DataTable
              label={t.xxl.apps}
              columns={columns}
              rows={shown}
              rowKey={({ name }) => name}
              rowName={({ name }) => name}
              onOpen={({ name }) => set({ app: name === chosen ? undefined : name })}
              empty={<NothingMatches onClear={() => set({ q: undefined })} />}
            />
            <Instances title={app ? t.xxl.executorsOf(app.name) : t.xxl.allExecutors} query={instances} of={app?.name} app={app} />
            {changing && <AppDialog app={changing} onClose={() => setChanging(undefined)} />}
            {rotating && <TokenDialog app={rotating} onClose={() => setRotating(undefined)} />}
          </div>
        );
      }}
    </Loaded>
  );
}
