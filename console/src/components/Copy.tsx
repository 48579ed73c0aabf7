import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/i18n';
import { copyText } from '@/lib/clipboard';
import { IconButton } from './Button';
import css from './Copy.module.css';
import { toast } from './toast';

/** Copies, and says so. */
export function useCopy(): (text: string) => void {
  const t = useT();
  return (text) =>
    void copyText(text).then((worked) =>
      toast(worked ? { text: t.common.copied } : { tone: 'bad', text: t.common.copyFailed }),
    );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useT();
  const [done, setDone] = useState(false);
  return (
    <IconButton
      label={done ? t.common.copied : (label ?? t.common.copy)}
      icon={done ? Check : CopyIcon}
      size={13}
      onClick={() =>
        void copyText(text).then((worked) => {
          if (!worked) return toast({ tone: 'bad', text: t.common.copyFailed });
          setDone(true);
          setTimeout(() => setDone(false), 1500);
        })
      }
    />
  );
}

/** A command to copy. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className={css.line}>
      <code tabIndex={0}>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}
