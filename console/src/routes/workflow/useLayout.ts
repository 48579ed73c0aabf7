import { useEffect, useRef, useState } from 'react';
import { type LayoutAnswer, type LayoutRequest } from './layout';
import type { Answered, Asked } from './layout.worker';

export interface Drawing {
  request: LayoutRequest;
  answer: LayoutAnswer;
  took: number;
}

/** Lays out a graph in a worker. The drawing before stays until the next one is there; a worker that fails says so. */
export function useLayout(request: LayoutRequest): { drawing: Drawing | undefined; hasFailed: boolean } {
  const [drawing, setDrawing] = useState<Drawing>();
  const [hasFailed, setFailed] = useState(false);
  const worker = useRef<Worker>(undefined);
  const asked = useRef(0);
  useEffect(() => {
    const made = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.current = made;
    made.addEventListener('error', () => setFailed(true));
    return () => made.terminate();
  }, []);
  useEffect(() => {
    const made = worker.current;
    if (!made) return undefined;
    asked.current += 1;
    const id = asked.current;
    const hear = ({ data }: MessageEvent<Answered>) => {
      // An answer that was overtaken is of another graph.
      if (data.id === id) setDrawing({ request, answer: data.answer, took: data.took });
    };
    made.addEventListener('message', hear);
    made.postMessage({ id, request } satisfies Asked);
    return () => made.removeEventListener('message', hear);
  }, [request]);
  return { drawing, hasFailed };
}
