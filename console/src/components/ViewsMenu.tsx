import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type ListSearch, type View, type ViewPage, isShown, removeView, saveView, searchOfView, viewsQuery } from '@/api/views';
import { useT } from '@/i18n';
import { usePref } from '@/lib/prefs';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { Field, TextInput } from './Field';
import { FormProblems } from './FormProblems';
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuLine } from './Menu';
import { confirm } from './confirm';
import { toast, toastError } from './toast';

export interface ViewsMenuProps {
  page: ViewPage;
  /** Name of the view that the address names. */
  active: string | undefined;
  search: ListSearch;
  onOpen: (name: string | undefined, search: ListSearch) => void;
}

const NAME_MAX = 64;

/** Saved views of a list: opens, saves, changes and deletes them. An address that names a view and nothing else is filled from it. */
export function ViewsMenu({ page, active, search, onOpen }: ViewsMenuProps) {
  const t = useT();
  const client = useQueryClient();
  const views = useQuery(viewsQuery(page)).data ?? [];
  const [landing, setLanding] = usePref('landing');
  const [saving, setSaving] = useState(false);
  const shown = views.find(({ name }) => name === active);
  const failed = (what: string) => (error: unknown) => toastError(what, error);
  const renew = () => client.invalidateQueries({ queryKey: viewsQuery(page).queryKey });

  const filled = useRef('');
  useEffect(() => {
    const isBare = !search.q && !search.sort && !search.cols && !search.group;
    if (!shown || !isBare || filled.current === shown.name) return;
    filled.current = shown.name;
    if (!isShown(shown, search)) onOpen(shown.name, searchOfView(shown));
  }, [shown, search, onOpen]);

  const save = useMutation({
    mutationFn: (name: string) => saveView(name, page, search),
    onSuccess: (view: View) => {
      setSaving(false);
      filled.current = view.name;
      toast({ text: t.views.saved(view.name) });
      onOpen(view.name, search);
      return renew();
    },
    // The dialog says it itself.
    onError: (error) => saving || failed(t.views.saveTitle)(error),
  });
  const remove = async ({ name }: View) => {
    if (!(await confirm({ title: t.views.removeTitle(name), text: t.views.removeText, action: t.jobs.remove, tone: 'danger' }))) return;
    try {
      await removeView(name);
    } catch (error) {
      return failed(t.views.remove(name))(error);
    }
    toast({ text: t.views.removed(name) });
    if (landing === landingOf(page, name)) setLanding('dashboard');
    onOpen(undefined, search);
    await renew();
  };

  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet" icon={Bookmark}>
            {shown ? shown.name : t.views.menu}
          </Button>
        }
      >
        <MenuLabel>{views.length === 0 ? t.views.none : t.views.menu}</MenuLabel>
        {views.map((view) => (
          <MenuCheck key={view.name} checked={view.name === active && isShown(view, search)} onChange={() => onOpen(view.name, searchOfView(view))}>
            {view.name}
          </MenuCheck>
        ))}
        <MenuLine />
        {shown && !isShown(shown, search) && <MenuItem onSelect={() => save.mutate(shown.name)}>{t.views.update(shown.name)}</MenuItem>}
        <MenuItem
          onSelect={() => {
            save.reset();
            setSaving(true);
          }}
        >
          {t.views.save}
        </MenuItem>
        {shown && (
          <>
            <MenuCheck checked={landing === landingOf(page, shown.name)} onChange={(on) => setLanding(on ? landingOf(page, shown.name) : 'dashboard')}>
              {t.views.begin}
            </MenuCheck>
            <MenuItem tone="danger" onSelect={() => void remove(shown)}>
              {t.views.remove(shown.name)}
            </MenuItem>
          </>
        )}
      </Menu>
      {saving && <SaveDialog names={views.map(({ name }) => name)} busy={save.isPending} error={save.error} onSave={(name) => save.mutate(name)} onClose={() => setSaving(false)} />}
    </>
  );
}

/** How the preference for the first page names a view. */
export function landingOf(page: ViewPage, name: string): `view:${string}` {
  return `view:${page}:${name}`;
}

function SaveDialog({ names, busy, error, onSave, onClose }: { names: readonly string[]; busy: boolean; error: unknown; onSave: (name: string) => void; onClose: () => void }) {
  const t = useT();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.views.saveTitle}
      description={t.views.saveText}
      footer={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button tone="primary" busy={busy} disabled={name === ''} onClick={() => onSave(name)}>
            {t.common.save}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '') onSave(name);
        }}
      >
        <FormProblems error={busy ? undefined : error}>
          <Field label={t.views.name} at="name" hint={names.includes(name) ? t.views.taken : undefined}>
            {(field) => <TextInput {...field} autoFocus maxLength={NAME_MAX} value={typed} onChange={(event) => setTyped(event.target.value)} />}
          </Field>
        </FormProblems>
      </form>
    </Dialog>
  );
}
