const NUMBERS = new Intl.NumberFormat('en-US');
const SHORT_NUMBERS = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** `1,203` */
export const count = (value: number): string =>
  // Formatting is slow, and charts have thousands of small numbers.
  Number.isInteger(value) && value >= 0 && value < 1_000 ? String(value) : NUMBERS.format(value);

/** `1.2K` */
export const shortCount = (value: number): string => SHORT_NUMBERS.format(value);

/** For example `vote` and `votes`. */
export interface Unit {
  readonly one: string;
  readonly many: string;
}

export const VOTES: Unit = { one: 'vote', many: 'votes' };

/** A number with its unit. */
export const amount = (value: number, { one, many }: Unit): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** To two decimals, which is less than a pixel in a drawing. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

export const percent = (value: number): string => `${rounded(value)}%`;
