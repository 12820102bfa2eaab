/** `A`, `A or B`, `A, B or C`. */
export const listText = (items: readonly string[], last: 'and' | 'or'): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${last} ${items[items.length - 1]}`;

/** `1st`, `12th`, `22nd`, `1,003rd`. */
export function ordinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  const ending = isTeen ? undefined : ENDINGS[number % 10];
  return `${number.toLocaleString('en')}${ending ?? 'th'}`;
}

const ENDINGS: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };

/** `1 vote`, `1,000 votes`. */
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
