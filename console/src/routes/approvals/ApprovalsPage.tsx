import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, CircleCheckBig, Ellipsis, X } from 'lucide-react';
import { useState } from 'react';
import { CopyItems } from '@/components/ActionBar';
import { Button, IconButton } from '@/components/Button';
import { type Column, DataTable } from '@/components/DataTable';
import { Loaded, NothingMatches, NothingYet } from '@/components/Feedback';
import { TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Menu } from '@/components/Menu';
import { Page } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { decideCommand } from './commands';
import { type Decision, DecideDialog } from './DecideDialog';
import css from './Approvals.module.css';
import { type Approval, approvalsQuery, matching } from './queries';
import { approvalsRoute } from './routes';

/** All tasks of workflow runs that wait for somebody: what is asked, who may decide, and the two answers. */
export function ApprovalsPage() {
  const t = useT();
  const formats = useFormats();
  const { ns } = approvalsRoute.useParams();
  const { q = '' } = approvalsRoute.useSearch();
  const navigate = useNavigate();
  const query = useQuery(approvalsQuery(ns));
  const [decision, setDecision] = useState<Decision>();
  const search = (text: string) => void navigate({ to: '.', search: { q: text || undefined }, replace: true });
  const decide = ({ run, task, prompt, from = [] }: Approval, verb: Decision['verb']) => setDecision({ run, task, prompt, from, verb });
  const buttons = (approval: Approval) => (
    <div className={css.actions}>
      <Button size="s" tone="primary" icon={Check} aria-label={`${t.workflow.verbs.approve}: ${approval.job} ${approval.task}`} onClick={() => decide(approval, 'approve')}>
        {t.workflow.verbs.approve}
      </Button>
      <Button size="s" icon={X} aria-label={`${t.workflow.verbs.reject}: ${approval.job} ${approval.task}`} onClick={() => decide(approval, 'reject')}>
        {t.workflow.verbs.reject}
      </Button>
      <Menu trigger={<IconButton label={t.common.moreActions} icon={Ellipsis} tip={false} />}>
        <CopyItems command={decideCommand(approval.run, approval.task, 'approve', approval.from?.[0])} />
      </Menu>
    </div>
  );
  const columns: Column<Approval>[] = [
    {
      id: 'asked',
      header: t.approvals.asked,
      cell: (approval) => (
        <div className={css.what}>
          <span className={css.prompt} title={approval.prompt}>
            {approval.prompt}
          </span>
          <span className={css.where}>
            <Link to="/ns/$ns/runs/$run" params={{ ns: approval.namespace, run: approval.run }} search={{ task: approval.task.replace(/\[\d+\]$/, '') }}>
              {ns === '-' && `${approval.namespace}/`}
              {approval.job} › {approval.task}
            </Link>
          </span>
          <div className={css.below}>{buttons(approval)}</div>
        </div>
      ),
    },
    { id: 'from', header: t.approvals.who, width: '12rem', wide: true, cell: ({ from = [] }) => (from.length > 0 ? formats.list(from) : <span className={css.quiet}>{t.approvals.anybody}</span>) },
    { id: 'since', header: t.approvals.since, width: '14rem', wide: true, cell: ({ since }) => <Instant at={since} relative /> },
    {
      id: 'until',
      header: t.approvals.until,
      width: '14rem',
      wide: true,
      cell: ({ until, on_timeout }) => (until ? <span title={on_timeout ? t.approvals.onTimeout[on_timeout] : undefined}><Instant at={until} relative /></span> : <span className={css.quiet}>{t.approvals.noLimit}</span>),
    },
    {
      id: 'actions',
      header: '',
      width: '13rem',
      wide: true,
      cell: buttons,
    },
  ];
  return (
    <Page title={t.shell.approvals}>
      <Loaded query={query} what={t.approvals.what}>
        {({ items, more }) =>
          items.length === 0 ? (
            <NothingYet what={t.approvals.what} icon={CircleCheckBig}>
              {t.approvals.emptyText} <code>{'approval: {prompt: …}'}</code>
            </NothingYet>
          ) : (
            <>
              <TextInput className={css.search} data-page-search aria-label={t.approvals.find} placeholder={t.approvals.find} value={q} onChange={(event) => search(event.target.value)} />
              <DataTable
                label={t.shell.approvals}
                columns={columns}
                rows={matching(items, q)}
                rowKey={({ run, task }) => `${run} ${task}`}
                rowName={({ job, task }) => `${job} ${task}`}
                onOpen={(approval) => decide(approval, 'approve')}
                empty={<NothingMatches onClear={() => search('')} />}
              />
              {more && <p className={css.quiet}>{t.approvals.more(formats.number(items.length))}</p>}
            </>
          )
        }
      </Loaded>
      {decision && <DecideDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </Page>
  );
}
