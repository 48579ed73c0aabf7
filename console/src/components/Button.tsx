import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import css from './Button.module.css';
import { Tooltip } from './Tooltip';

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  size?: 's' | 'm';
  icon?: LucideIcon | undefined;
  busy?: boolean;
  /** Why it cannot be used now; it stays visible and can be focused. */
  disabledReason?: string | undefined;
}

export function Button({ tone = 'plain', size = 'm', icon: Icon, busy, disabledReason, className, children, onClick, ...rest }: ButtonProps) {
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={disabledReason !== undefined || busy || undefined}
      aria-busy={busy || undefined}
      onClick={disabledReason !== undefined || busy ? (event) => event.preventDefault() : onClick}
      className={[css.button, css[tone], css[size], className].filter(Boolean).join(' ')}
    >
      {Icon && <Icon size={14} strokeWidth={1.9} aria-hidden="true" className={busy ? css.spin : undefined} />}
      {children}
    </button>
  );
  return disabledReason ? <Tooltip text={disabledReason}>{button}</Tooltip> : button;
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  label: string;
  icon: LucideIcon;
  tone?: 'quiet' | 'plain';
  /** Shows the label on hover; on by default. */
  tip?: boolean;
  size?: number;
}

export function IconButton({ label, icon: Icon, tone = 'quiet', tip = true, size = 15, className, ...rest }: IconButtonProps) {
  const button = (
    <button type="button" aria-label={label} {...rest} className={[css.button, css.icon, css[tone], className].filter(Boolean).join(' ')}>
      <Icon size={size} strokeWidth={1.8} aria-hidden="true" />
    </button>
  );
  return tip ? <Tooltip text={label}>{button}</Tooltip> : button;
}
