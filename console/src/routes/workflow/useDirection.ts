import { useCallback, useSyncExternalStore } from 'react';
import type { Direction } from './shape';

const NARROW = '(max-width: 719px)';

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Where a graph goes: as the address says, and else to the right, or down where there is no room to the right. */
export function useDirection(asked: Direction | undefined): { direction: Direction; turned: () => Direction | undefined } {
  const usual = useSyncExternalStore(subscribe, () => (matchMedia(NARROW).matches ? 'TB' : 'LR'));
  const direction = asked ?? usual;
  const turned = useCallback(() => {
    const other = direction === 'LR' ? 'TB' : 'LR';
    return other === usual ? undefined : other;
  }, [direction, usual]);
  return { direction, turned };
}
