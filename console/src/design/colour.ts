/** Measures colours: how far apart they look, to most people and to those who see fewer. For tests. */

type Triple = readonly [number, number, number];

export function fromHex(hex: string): Triple {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Triple;
}

const toLinear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const toGamma = (channel: number) => (channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055);

function multiply(matrix: readonly Triple[], [x, y, z]: Triple): Triple {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;
}

const XYZ: readonly Triple[] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE: Triple = [0.95047, 1, 1.08883];

function toLab(rgb: Triple): Triple {
  const xyz = multiply(XYZ, rgb.map(toLinear) as unknown as Triple);
  const [x, y, z] = xyz.map((value, index) => {
    const ratio = value / (WHITE[index] ?? 1);
    return ratio > 216 / 24389 ? Math.cbrt(ratio) : (24389 / 27 / 116) * ratio + 16 / 116;
  }) as unknown as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear light. */
const SEEN = {
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
} as const satisfies Record<string, readonly Triple[]>;

export type Sight = keyof typeof SEEN;

export function seenBy(sight: Sight, rgb: Triple): Triple {
  const linear = multiply(SEEN[sight], rgb.map(toLinear) as unknown as Triple);
  return linear.map((channel) => toGamma(Math.min(1, Math.max(0, channel)))) as unknown as Triple;
}

const radians = Math.PI / 180;

/** CIEDE2000: about 1 is the least that one sees, 10 is told apart at a glance. */
export function difference(one: Triple, other: Triple): number {
  const [l1, a1, b1] = toLab(one);
  const [l2, a2, b2] = toLab(other);
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const angle = (b: number, p: number) => (b === 0 && p === 0 ? 0 : ((Math.atan2(b, p) / radians + 360) % 360));
  const [h1, h2] = [angle(b1, p1), angle(b2, p2)];
  const gap = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin((gap / 2) * radians);
  const meanL = (l1 + l2) / 2;
  const meanP = (c1 + c2) / 2;
  const meanH = c1 * c2 === 0 ? h1 + h2 : (h1 + gap / 2 + 360) % 360;
  const t = 1 - 0.17 * Math.cos((meanH - 30) * radians) + 0.24 * Math.cos(2 * meanH * radians) + 0.32 * Math.cos((3 * meanH + 6) * radians) - 0.2 * Math.cos((4 * meanH - 63) * radians);
  const sL = 1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2);
  const sC = 1 + 0.045 * meanP;
  const sH = 1 + 0.015 * meanP * t;
  const rT = -2 * Math.sqrt(meanP ** 7 / (meanP ** 7 + 25 ** 7)) * Math.sin(60 * radians * Math.exp(-(((meanH - 275) / 25) ** 2)));
  const [dL, dC] = [l2 - l1, c2 - c1];
  return Math.sqrt((dL / sL) ** 2 + (dC / sC) ** 2 + (dH / sH) ** 2 + rT * (dC / sC) * (dH / sH));
}

/** WCAG contrast of two colours, 1 to 21. */
export function contrast(one: Triple, other: Triple): number {
  const [light, dark] = [one, other].map((rgb) => multiply(XYZ, rgb.map(toLinear) as unknown as Triple)[1]).sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
