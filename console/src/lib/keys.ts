import { useEffect, useRef } from 'react';
import { prefs } from './prefs';
import { createStore } from './store';

/** A key, or a sequence such as `g j`, and what it does. */
export interface KeyBinding {
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Heading under which the help lists it. */
  group: string;
}

/** All bindings of what is on screen, for the help. Later ones win. */
export const bindings = createStore<readonly KeyBinding[]>([]);

/** Binds keys while the component is mounted. */
export function useKeys(list: readonly KeyBinding[]): void {
  const latest = useRef(list);
  latest.current = list;
  const shape = list.map((binding) => `${binding.keys}\u0000${binding.label}`).join('\u0001');
  useEffect(() => {
    const mine = latest.current.map((binding, index) => ({
      ...binding,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    bindings.set((before) => [...before, ...mine]);
    return () => bindings.set((before) => before.filter((binding) => !mine.includes(binding)));
  }, [shape]);
}

/** Whether a key press belongs to what is being typed, or to a control that uses keys itself. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [role="menu"], [role="listbox"], .cm-editor') !== null;
}

/** Names a press as bindings spell it: `j`, `?`, `shift-r`, `mod-k`, `Escape`. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const mods: string[] = [];
  if (event.ctrlKey || event.metaKey) mods.push('mod');
  if (event.altKey) mods.push('alt');
  const letter = /^[a-z]$/i.test(event.key);
  if (event.shiftKey && (letter || event.key.length > 1)) mods.push('shift');
  return [...mods, letter ? event.key.toLowerCase() : event.key].join('-');
}

const SEQUENCE_MS = 1200;

/** Listens for the whole page. Returns what ends it. */
export function listenForKeys(target: EventTarget = document): () => void {
  let prefix = '';
  let since = 0;
  const onKey = (event: Event) => {
    const press = event as KeyboardEvent;
    if (press.defaultPrevented || press.isComposing) return;
    const name = keyName(press);
    const plain = !name.startsWith('mod-') && !name.startsWith('alt-');
    if (plain && (isTyping(press.target) || (!prefs.get().singleKeys && press.key.length === 1))) return;
    if (plain && press.key.length === 1 && document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
    const all = bindings.get();
    const whole = prefix !== '' && press.timeStamp - since < SEQUENCE_MS ? `${prefix} ${name}` : name;
    const found = all.findLast((binding) => binding.keys === whole);
    prefix = '';
    if (found) {
      press.preventDefault();
      found.run(press);
    } else if (all.some((binding) => binding.keys.startsWith(`${name} `))) {
      prefix = name;
      since = press.timeStamp;
    }
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}
