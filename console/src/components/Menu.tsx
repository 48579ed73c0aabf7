import * as Radix from '@radix-ui/react-dropdown-menu';
import { Check, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import css from './Menu.module.css';

/** A menu that opens from a button. */
export function Menu({ trigger, children, align = 'end' }: { trigger: ReactElement; children: ReactNode; align?: 'start' | 'end' }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css.menu} align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A menu at a place of the page, such as that of a right click. `onClose` gives the focus back. */
export function MenuAt({ x, y, label, onClose, children }: { x: number; y: number; label: string; onClose: () => void; children: ReactNode }) {
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Radix.Trigger asChild>
        <span aria-hidden="true" className={css.spot} style={{ left: x, top: y }} tabIndex={-1} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css.menu} align="start" sideOffset={2} collisionPadding={8} aria-label={label} onCloseAutoFocus={(event) => event.preventDefault()}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  children: ReactNode;
  icon?: LucideIcon | undefined;
  onSelect: () => void;
  tone?: 'plain' | 'danger';
  /** A key that does the same. */
  keys?: string | undefined;
  disabledReason?: string | undefined;
}

export function MenuItem({ children, icon: Icon, onSelect, tone = 'plain', keys, disabledReason }: MenuItemProps) {
  return (
    <Radix.Item className={tone === 'danger' ? css.danger : css.item} onSelect={onSelect} disabled={disabledReason !== undefined}>
      {Icon ? <Icon size={14} strokeWidth={1.8} aria-hidden="true" /> : <span className={css.gap} />}
      <span className={css.text}>
        {children}
        {disabledReason && <small>{disabledReason}</small>}
      </span>
      {keys && <kbd>{keys}</kbd>}
    </Radix.Item>
  );
}

/** One of several. */
export function MenuChoice<T extends string>({ value, onChange, options }: { value: T; onChange: (value: T) => void; options: readonly (readonly [T, ReactNode])[] }) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      {options.map(([option, label]) => (
        <Radix.RadioItem key={option} value={option} className={css.item} onSelect={(event) => event.preventDefault()}>
          <span className={css.gap}>
            <Radix.ItemIndicator>
              <Check size={14} aria-hidden="true" />
            </Radix.ItemIndicator>
          </span>
          <span className={css.text}>{label}</span>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuCheck({ checked, onChange, children }: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  return (
    <Radix.CheckboxItem className={css.item} checked={checked} onCheckedChange={onChange} onSelect={(event) => event.preventDefault()}>
      <span className={css.gap}>
        <Radix.ItemIndicator>
          <Check size={14} aria-hidden="true" />
        </Radix.ItemIndicator>
      </span>
      <span className={css.text}>{children}</span>
    </Radix.CheckboxItem>
  );
}

export function MenuSub({ label, icon: Icon, children }: { label: ReactNode; icon?: LucideIcon; children: ReactNode }) {
  return (
    <Radix.Sub>
      <Radix.SubTrigger className={css.item}>
        {Icon ? <Icon size={14} strokeWidth={1.8} aria-hidden="true" /> : <span className={css.gap} />}
        <span className={css.text}>{label}</span>
        <ChevronRight size={13} aria-hidden="true" />
      </Radix.SubTrigger>
      <Radix.Portal>
        <Radix.SubContent className={css.menu} sideOffset={2} collisionPadding={8}>
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className={css.label}>{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className={css.line} />;
}
