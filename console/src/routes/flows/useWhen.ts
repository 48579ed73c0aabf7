import { useT } from '@/i18n';
import type { ComponentSpec } from './queries';

/** Returns a function that says when a component runs. */
export function useWhen(): (spec: ComponentSpec | undefined) => string {
  const t = useT();
  return (spec) => {
    if (!spec) return '';
    if (spec.cron) return spec.cron;
    if (spec.schedule) return t.flows.every(spec.schedule);
    return spec.event ? t.flows.onArrival : t.flows.always;
  };
}
