/**
 * The design's named values. All colours, sizes and distances on a page come from here, as custom properties (`--ink`).
 */

export type ColourName =
  /** Backgrounds, from the page up. */
  | 'canvas'
  | 'surface'
  | 'sunken'
  /** Lines between parts, and edges of controls. */
  | 'line'
  | 'edge'
  | 'ink'
  | 'ink-soft'
  | 'accent'
  | 'accent-strong'
  | 'accent-wash'
  | 'on-accent'
  /** For each tone: its text, its background, and its shapes in charts. */
  | 'good'
  | 'good-wash'
  | 'good-mark'
  | 'warn'
  | 'warn-wash'
  | 'warn-mark'
  | 'bad'
  | 'bad-strong'
  | 'bad-wash'
  | 'bad-mark'
  | 'on-bad'
  /** The parts of a chart that are not states. */
  | 'series-1'
  | 'series-2'
  | 'series-3'
  | 'series-4'
  | 'series-5'
  | 'series-6';

export type Palette = Readonly<Record<ColourName, `#${string}`>>;

/** The colours of a brand. */
export type AccentName = 'accent' | 'accent-strong' | 'accent-wash' | 'on-accent';

type Accent = Pick<Palette, AccentName>;

export interface Accents {
  readonly light: Accent;
  readonly dark: Accent;
}

/** All colours of a site, in each scheme. */
export const palettesOf = (accents: Accents): { readonly light: Palette; readonly dark: Palette } => ({
  light: { ...light, ...accents.light },
  dark: { ...dark, ...accents.dark },
});

const light: Omit<Palette, AccentName> = {
  canvas: '#f6f5f2',
  surface: '#ffffff',
  sunken: '#efede8',
  line: '#dedbd3',
  edge: '#827f77',
  ink: '#1d2226',
  'ink-soft': '#585e63',
  good: '#1c693b',
  'good-wash': '#e2f1e7',
  'good-mark': '#2f8a58',
  warn: '#7a4d00',
  'warn-wash': '#faedd2',
  'warn-mark': '#b5740b',
  bad: '#a02a1d',
  'bad-strong': '#7f1f14',
  'bad-wash': '#fae6e2',
  'bad-mark': '#cd4b3c',
  'on-bad': '#ffffff',
  'series-1': '#2b6cb0',
  'series-2': '#b7661a',
  'series-3': '#7b57b8',
  'series-4': '#3d8554',
  'series-5': '#c04b78',
  'series-6': '#6b747c',
};

const dark: Omit<Palette, AccentName> = {
  canvas: '#13171a',
  surface: '#1b2024',
  sunken: '#252b30',
  line: '#333a40',
  edge: '#7f8890',
  ink: '#e7e8e5',
  'ink-soft': '#a7afb5',
  good: '#82d09d',
  'good-wash': '#17301f',
  'good-mark': '#5fb380',
  warn: '#e6bb67',
  'warn-wash': '#352a12',
  'warn-mark': '#d9a441',
  bad: '#f19d8f',
  'bad-strong': '#f7bfb5',
  'bad-wash': '#3c1d18',
  'bad-mark': '#e0776a',
  'on-bad': '#2c0b06',
  'series-1': '#6ea8e6',
  'series-2': '#e0a058',
  'series-3': '#b79ce6',
  'series-4': '#79bf8e',
  'series-5': '#e68bb0',
  'series-6': '#9aa5ad',
};

/** Sizes are in rem, so that they follow the reader's own text size. Distances are multiples of a quarter rem. */
export const sizes = {
  'text-small': '0.8125rem',
  text: '0.9375rem',
  'text-large': '1.0625rem',
  'text-title': '1.5rem',
  'text-figure': '1.625rem',
  'space-1': '0.25rem',
  'space-2': '0.5rem',
  'space-3': '0.75rem',
  'space-4': '1rem',
  'space-5': '1.5rem',
  'space-6': '2rem',
  'space-7': '3rem',
  radius: '0.5rem',
  'radius-small': '0.3125rem',
  page: '70rem',
} as const;

export const fonts = {
  'font-text': "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', sans-serif",
  'font-code': "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
} as const;
