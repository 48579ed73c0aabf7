import { describe, expect, test } from 'vitest';
import { states } from '@/states';
import css from './tokens.css?raw';
import { type Sight, contrast, difference, fromHex, seenBy } from './colour';

const [light = '', dark = ''] = css.split("[data-theme='dark']");

function token(theme: string, name: string): string {
  const found = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme)?.[1];
  if (!found) throw new Error(`no token --${name}`);
  return found;
}

/** The figures of CIEDE2000's own test data (Sharma, Wu, Dalal 2005) are in Lab; these are known pairs in sRGB. */
test('colours that are one differ by nothing, black and white by a hundred', () => {
  expect(difference(fromHex('#123456'), fromHex('#123456'))).toBe(0);
  expect(difference(fromHex('#000000'), fromHex('#ffffff'))).toBeCloseTo(100, 1);
  expect(contrast(fromHex('#000000'), fromHex('#ffffff'))).toBeCloseTo(21, 1);
});

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_, theme) => {
  const colours = states.map((state) => [state, fromHex(token(theme, `state-${state}`))] as const);

  test('states are told apart at a glance, and by those who see fewer colours', () => {
    const close: string[] = [];
    colours.forEach(([one, a], index) => {
      for (const [other, b] of colours.slice(index + 1)) {
        const apart = difference(a, b);
        if (apart < 10) close.push(`${one} ${other} ${apart.toFixed(1)}`);
        for (const sight of ['deuteranopia', 'protanopia'] as Sight[]) {
          const seen = difference(seenBy(sight, a), seenBy(sight, b));
          if (seen < 8) close.push(`${one} ${other} ${sight} ${seen.toFixed(1)}`);
        }
      }
    });
    expect(close).toEqual([]);
  });

  test('glyphs and words can be read on every surface', () => {
    const surfaces = ['canvas', 'surface', 'raised', 'hover'].map((name) => fromHex(token(theme, name)));
    for (const surface of surfaces) {
      for (const [state, colour] of colours) expect(contrast(colour, surface), state).toBeGreaterThanOrEqual(3);
      for (const ink of ['ink', 'ink-2', 'ink-3', 'accent', 'danger', 'good', 'brass']) {
        expect(contrast(fromHex(token(theme, ink)), surface), ink).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(contrast(fromHex(token(theme, 'accent-ink')), fromHex(token(theme, 'accent')))).toBeGreaterThanOrEqual(4.5);
  });
});
