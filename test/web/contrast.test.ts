import { expect, test } from 'vitest';
import { consoleLook, listingLook } from '../../src/web/brands.ts';
import { rules, stylesheetOf } from '../../src/web/stylesheet.ts';
import { type ColourName, type Palette, palettesOf } from '../../src/web/tokens.ts';

/** A combination that the components use. */
type Pair = readonly [front: ColourName, ground: ColourName];

/** WCAG 1.4.3, level AA: text has a contrast of at least 4.5 to 1 with its background. */
const TEXT_CONTRAST = 4.5;
const textPairs: readonly Pair[] = [
  ...(['canvas', 'surface', 'sunken'] as const).flatMap((ground): Pair[] => [
    ['ink', ground],
    ['ink-soft', ground],
    ['accent', ground],
    ['bad', ground],
  ]),
  ['good', 'surface'],
  ['warn', 'surface'],
  ['accent', 'accent-wash'],
  ['accent-strong', 'surface'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-bad', 'bad'],
  ['on-bad', 'bad-strong'],
  ...(['accent', 'good', 'warn', 'bad'] as const).flatMap((tone): Pair[] => [
    [tone, `${tone}-wash`],
    ['ink', `${tone}-wash`],
  ]),
];

/** WCAG 1.4.11: controls, focus marks and charts have a contrast of at least 3 to 1. */
const SHAPE_CONTRAST = 3;
const SHAPES = [
  ...(['edge', 'accent', 'good-mark', 'warn-mark', 'bad-mark'] as const),
  ...(['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6'] as const),
];
const shapePairs: readonly Pair[] = (['canvas', 'surface', 'sunken'] as const).flatMap((ground) =>
  SHAPES.map((shape): Pair => [shape, ground]),
);

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

test('the contrast formula gives known values', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

const SCHEMES: readonly (readonly [string, Palette])[] = [
  ['light scheme of the listing service', palettesOf(listingLook).light],
  ['dark scheme of the listing service', palettesOf(listingLook).dark],
  ['light scheme of the console', palettesOf(consoleLook).light],
  ['dark scheme of the console', palettesOf(consoleLook).dark],
];

test.each(SCHEMES)('in the %s, text and shapes have enough contrast with their background', (_, palette) => {
  const tooWeak = (pairs: readonly Pair[], least: number): readonly Pair[] =>
    pairs.filter(([front, ground]) => contrast(palette[front], palette[ground]) < least);
  expect(tooWeak(textPairs, TEXT_CONTRAST)).toEqual([]);
  expect(tooWeak(shapePairs, SHAPE_CONTRAST)).toEqual([]);
});

test('the stylesheet takes all colours from the tokens', () => {
  expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/i);
  const used = new Set([...rules.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name));
  const defined = new Set([...stylesheetOf(listingLook).matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
});
