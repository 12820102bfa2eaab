import { GAME_VERSION, isVersionAtLeast } from '../../core/game-version.ts';

/** What depends on the version of Minecraft Java Edition. */
export interface Layout {
  /** The number of the pack's format; with two, the second one counts smaller changes. */
  readonly format: number | readonly [number, number];
  /** Formats are given as a range (1.21.9). */
  readonly hasRange: boolean;
  /** `function` since 1.21, `functions` before. */
  readonly functions: 'function' | 'functions';
  /** How text components spell a click (1.21.5). */
  readonly click: 'click_event' | 'clickEvent';
  /** Dialogs (1.21.6). */
  readonly hasDialogs: boolean;
}

/** The first version of each format of data packs, the newest first. From 26.1 on, versions are named after years. */
const FORMATS: readonly (readonly [since: string, format: Layout['format']])[] = [
  ['26.1', [101, 1]],
  ['1.21.11', [94, 1]],
  ['1.21.9', [88, 0]],
  ['1.21.7', 81],
  ['1.21.6', 80],
  ['1.21.5', 71],
  ['1.21.4', 61],
  ['1.21.2', 57],
  ['1.21', 48],
  ['1.20.5', 41],
  ['1.20.3', 26],
  ['1.20.2', 18],
  ['1.20', 15],
  ['1.19.4', 12],
  ['1.19', 10],
  ['1.18.2', 9],
  ['1.18', 8],
  ['1.17', 7],
  ['1.16.2', 6],
  ['1.16', 5],
];

/** The oldest version that has all that a pack uses. */
export const OLDEST = FORMATS.at(-1)?.[0] ?? '';
/** The newest version whose format is known. A newer one is given this format. */
export const NEWEST = FORMATS[0]?.[0] ?? '';

/** null: it is no version, or older than `OLDEST`. */
export function layoutOf(version: string): Layout | null {
  if (!GAME_VERSION.test(version)) return null;
  const format = FORMATS.find(([since]) => isVersionAtLeast(version, since))?.[1];
  if (format === undefined) return null;
  const is = (least: string): boolean => isVersionAtLeast(version, least);
  return {
    format,
    hasRange: is('1.21.9'),
    functions: is('1.21') ? 'function' : 'functions',
    click: is('1.21.5') ? 'click_event' : 'clickEvent',
    hasDialogs: is('1.21.6'),
  };
}
