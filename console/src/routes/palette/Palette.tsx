import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { CircleDot, FilePlus2, History, Languages, ListTodo, type LucideIcon, Moon, Pause, Play, Search, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, ask } from '@/api/client';
import { Dialog } from '@/components/Dialog';
import { useNamespace } from '@/frame/namespace';
import { useT } from '@/i18n';
import { live, pauseLive, resumeLive } from '@/lib/live';
import { overlay } from '@/lib/overlays';
import { type Prefs, prefs } from '@/lib/prefs';
import { nav } from '@/nav';
import css from './Palette.module.css';

/** A whole id of a run, or the first eight digits at least. */
const RUN_ID = /^[0-9a-f]{8}-?[0-9a-f-]*$/i;
const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Goes anywhere by name: pages, jobs, runs by their id, and what one does often. */
export function Palette() {
  const t = useT();
  const ns = useNamespace();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const q = typed.trim();
  const job = useQuery({
    queryKey: ['palette-jobs', ns, q],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/jobs', { params: { path: { namespace: ns }, query: { name: q, limit: 8 } }, signal })),
    enabled: q !== '' && !WHOLE_ID.test(q),
    placeholderData: (before) => before,
    retry: false,
  });
  const close = () => overlay.set(undefined);
  const act = (run: () => void) => () => {
    close();
    run();
  };
  const go = (to: string, params: Record<string, string> = { ns }, search?: Record<string, string>) => act(() => void navigate({ to, params, ...(search ? { search } : {}) } as never));
  const set = (next: Partial<Prefs>) => act(() => prefs.set((before) => ({ ...before, ...next })));
  const matches = (word: string) => q === '' || word.toLowerCase().includes(q.toLowerCase());
  const item = (key: string, icon: LucideIcon, label: ReactNode, onSelect: () => void, hint?: string) => {
    const Icon = icon;
    return (
      <Command.Item key={key} value={key} className={css.item} onSelect={onSelect}>
        <Icon size={15} strokeWidth={1.8} aria-hidden="true" />
        <span className={css.label}>{label}</span>
        {hint && <kbd>{hint}</kbd>}
      </Command.Item>
    );
  };
  const paused = live.get().mode === 'paused';
  const actions: [string, LucideIcon, string, () => void][] = [
    ['new', FilePlus2, t.palette.newJob, go('/ns/$ns/jobs/new', { ns: ns === '-' ? 'default' : ns })],
    ['light', Sun, t.palette.light, set({ theme: 'light' })],
    ['dark', Moon, t.palette.dark, set({ theme: 'dark' })],
    ['en', Languages, t.palette.english, set({ language: 'en' })],
    ['zh', Languages, t.palette.chinese, set({ language: 'zh' })],
    ['utc', CircleDot, t.palette.utc, set({ zone: 'utc' })],
    ['mine', CircleDot, t.palette.myZone, set({ zone: 'user' })],
    paused ? ['resume', Play, t.palette.resume, act(resumeLive)] : ['pause', Pause, t.palette.pause, act(pauseLive)],
  ];
  const pages = nav.flat().filter((entry) => matches(String(t.shell[entry.word])));
  const found = q === '' ? [] : (job.data?.items ?? []);
  const deeds = actions.filter(([, , word]) => matches(word));
  return (
    <Dialog open onClose={close} title={t.shell.paletteKey}>
      <Command label={t.shell.paletteKey} shouldFilter={false} className={css.palette}>
        <Command.Input autoFocus className={css.input} value={typed} onValueChange={setTyped} placeholder={t.palette.placeholder} />
        <Command.List className={css.list}>
          <Command.Empty className={css.empty}>{t.palette.nothing}</Command.Empty>
          {RUN_ID.test(q) && WHOLE_ID.test(q) && (
            <Command.Group heading={t.palette.runs}>{item(`run-${q}`, History, t.palette.openRun(q), go('/ns/$ns/runs/$run', { ns, run: q.toLowerCase() }))}</Command.Group>
          )}
          {found.length > 0 && (
            <Command.Group heading={t.palette.jobs}>
              {found.map((each) => item(`job-${each.id}`, ListTodo, each.namespace === 'default' ? each.name : `${each.namespace}/${each.name}`, go('/ns/$ns/jobs/$job', { ns: each.namespace, job: each.name })))}
              {item('find-jobs', Search, t.palette.findJobs(q), go('/ns/$ns/jobs', { ns }, { q }))}
            </Command.Group>
          )}
          {pages.length > 0 && <Command.Group heading={t.palette.pages}>{pages.map((entry) => item(entry.to, entry.icon, String(t.shell[entry.word]), go(entry.to), `g ${entry.key}`))}</Command.Group>}
          {deeds.length > 0 && <Command.Group heading={t.palette.actions}>{deeds.map(([key, icon, word, run]) => item(key, icon, word, run))}</Command.Group>}
        </Command.List>
      </Command>
    </Dialog>
  );
}
