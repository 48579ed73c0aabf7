import { type LayoutAnswer, type LayoutRequest, layout } from './layout';

/** Lays out graphs off the page's thread, one a message. */
export interface Asked {
  id: number;
  request: LayoutRequest;
}

export interface Answered {
  id: number;
  answer: LayoutAnswer;
  /** How long it took, in milliseconds. */
  took: number;
}

self.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const begun = performance.now();
  const answer = layout(data.request);
  self.postMessage({ id: data.id, answer, took: performance.now() - begun } satisfies Answered);
});
