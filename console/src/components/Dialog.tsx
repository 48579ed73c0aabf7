import * as Radix from '@radix-ui/react-dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '@/i18n';
import { IconButton } from './Button';
import css from './Dialog.module.css';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  width?: 'm' | 'l';
  /** Cannot be left by Escape or a click beside it. */
  firm?: boolean;
}

export function Dialog({ open, onClose, title, description, children, footer, width = 'm', firm = false }: DialogProps) {
  const t = useT();
  const stay = (event: Event) => firm && event.preventDefault();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={css.overlay}>
          <Radix.Content
            className={width === 'l' ? css.large : css.dialog}
            onEscapeKeyDown={stay}
            onPointerDownOutside={stay}
            onInteractOutside={stay}
            {...(description ? {} : { 'aria-describedby': undefined })}
          >
            <header className={css.head}>
              <Radix.Title className={css.title}>{title}</Radix.Title>
              {!firm && (
                <Radix.Close asChild>
                  <IconButton label={t.common.close} icon={X} tip={false} />
                </Radix.Close>
              )}
            </header>
            <div className={css.body}>
              {description && (
                <Radix.Description asChild>
                  <div className={css.description}>{description}</div>
                </Radix.Description>
              )}
              {children}
            </div>
            {footer && <footer className={css.foot}>{footer}</footer>}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}
