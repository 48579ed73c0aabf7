import * as Radix from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';
import css from './Tabs.module.css';

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: readonly (readonly [T, string])[];
  /** At the other end of the row of tabs. */
  aside?: ReactNode;
  /** The panel takes what is left of the window, and scrolls inside. */
  fill?: boolean;
  /** A `TabPanel` for each tab. */
  children: ReactNode;
}

/** Parts of a page of which one is shown. */
export function Tabs<T extends string>({ label, value, onChange, tabs, aside, fill, children }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} className={css.tabs} data-fill={fill || undefined}>
      <div className={css.bar}>
        <Radix.List className={css.list} aria-label={label}>
          {tabs.map(([name, word]) => (
            <Radix.Trigger key={name} value={name}>
              {word}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      {children}
    </Radix.Root>
  );
}

export function TabPanel({ value, fill = false, children }: { value: string; fill?: boolean; children: ReactNode }) {
  return (
    <Radix.Content value={value} tabIndex={-1} className={fill ? css.fill : css.panel}>
      {children}
    </Radix.Content>
  );
}
