import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { exactText } from '@/api/client';
import { Button } from '@/components/Button';
import { confirm } from '@/components/confirm';
import { Loaded } from '@/components/Feedback';
import { Select } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Panel } from '@/components/Page';
import { Who } from '@/components/Who';
import { toast, toastError } from '@/components/toast';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { member, parseExact, printExact } from '@/lib/json';
import { DiffView } from '../editor/DiffView';
import { fromJson } from '../editor/document';
import { putJob } from '../editor/queries';
import css from './Job.module.css';
import { type Job, jobQuery } from './queries';
import { jobRoute } from './routes';

interface Version {
  version: number;
  savedAt: string;
  current: boolean;
  savedBy: string | undefined;
  savedFrom: string | undefined;
  /** The definition as exact JSON. */
  spec: string;
}

/** Versions of a job, newest first: what each changed, and a way back. */
export default function Versions({ job }: { job: Job }) {
  const t = useT();
  const query = useQuery({
    queryKey: ['versions', job.namespace, job.name, job.version],
    queryFn: async ({ signal }) => read(await exactText(`${fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/versions', { namespace: job.namespace, job: job.name })}?limit=200`, signal)),
  });
  return (
    <Loaded query={query} what={t.jobDetail.tabs.versions}>
      {(versions) => (versions.length === 0 ? <p className={css.quiet}>{t.jobDetail.versions.none}</p> : <Compare job={job} versions={versions} />)}
    </Loaded>
  );
}

function read(text: string): Version[] {
  const items = member(parseExact(text), 'items');
  if (items?.kind !== 'array') return [];
  return items.items.map((item) => {
    const version = member(item, 'version');
    const text = (name: string) => {
      const found = member(item, name);
      return found?.kind === 'string' ? found.value : undefined;
    };
    const spec = member(item, 'spec');
    return {
      version: version?.kind === 'number' ? Number(version.text) : 0,
      savedAt: text('saved_at') ?? '',
      savedBy: text('saved_by'),
      savedFrom: text('saved_from'),
      current: member(item, 'current')?.kind === 'true',
      spec: spec ? printExact(spec) : '{}',
    };
  });
}

/** Who saved a version, and from where. */
function Saver({ version: { savedBy, savedFrom } }: { version: Version }) {
  const t = useT();
  const words = t.jobDetail.versions.from;
  return (
    <span className={css.saver}>
      {savedFrom && <span className={css.place}>{words[savedFrom as keyof typeof words] ?? savedFrom}</span>}
      {savedBy ? <Who by={savedBy} /> : t.jobDetail.versions.notNoted}
    </span>
  );
}

function Compare({ job, versions }: { job: Job; versions: Version[] }) {
  const t = useT();
  const formats = useFormats();
  const client = useQueryClient();
  const navigate = useNavigate();
  const search = jobRoute.useSearch();
  const to = versions.find((one) => one.version === search.to) ?? versions[0];
  const from = versions.find((one) => one.version === search.from) ?? versions[versions.findIndex((one) => one === to) + 1] ?? to;
  const restore = useMutation({
    mutationFn: (version: Version) => putJob({ namespace: job.namespace, job: job.name, json: version.spec, version: job.version, dryRun: false }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: jobQuery(job.namespace, job.name).queryKey });
      toast({ tone: 'good', text: t.jobDetail.versions.restored });
    },
    onError: (error) => toastError(t.jobDetail.versions.restore, error),
  });
  if (!to || !from) return null;
  const set = (next: { from?: number | undefined; to?: number | undefined }) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true });
  const name = (version: Version) => t.jobDetail.versions.versionOf(formats.number(version.version));
  return (
    <div className={css.versions}>
      <ol className={css.versionList}>
        {versions.map((version) => (
          <li key={version.version} data-shown={version === to || undefined}>
            <button type="button" aria-pressed={version === to} onClick={() => set({ to: version.version, from: undefined })}>
              <strong>{name(version)}</strong>
              {version.current && <span className={css.currentWord}>{t.jobDetail.versions.current}</span>}
              <Instant at={version.savedAt} date />
              <Saver version={version} />
            </button>
            {!version.current && (
              <Button size="s" icon={RotateCcw} busy={restore.isPending} onClick={() => void confirm({ title: t.jobDetail.versions.restoreTitle(formats.number(version.version)), text: t.jobDetail.versions.restoreText, action: t.jobDetail.versions.restore }).then((yes) => yes && restore.mutate(version))}>
                {t.jobDetail.versions.restore}
              </Button>
            )}
          </li>
        ))}
      </ol>
      <Panel
        title={from === to ? name(to) : t.jobDetail.versions.compare(formats.number(from.version), formats.number(to.version))}
        aside={
          versions.length > 1 && (
          <label className={css.compareWith}>
            {t.jobDetail.versions.compareWith}
            <Select value={search.from ?? ''} onChange={(event) => set({ from: event.target.value === '' ? undefined : Number(event.target.value) })}>
              <option value="">{t.jobDetail.versions.before}</option>
              {versions.map((version) => (
                <option key={version.version} value={version.version}>
                  {name(version)}
                </option>
              ))}
            </Select>
          </label>
          )
        }
      >
        {from === to ? (
          <pre className={css.file} tabIndex={0} role="region" aria-label={name(to)}>{fromJson(to.spec)}</pre>
        ) : (
          <DiffView before={fromJson(from.spec)} after={fromJson(to.spec)} beforeLabel={name(from)} afterLabel={name(to)} />
        )}
      </Panel>
    </div>
  );
}
