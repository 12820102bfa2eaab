/** A range of whole numbers as the game writes it: `5..`, `..10`, `3`, `1..5`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const WRITTEN = /^(-?\d{1,10})?(\.\.)?(-?\d{1,10})?$/;

/** null if the game cannot read it. */
export function parseRange(text: string): Range | null {
  const [, from, dots, to] = WRITTEN.exec(text) ?? [];
  if (from === undefined && to === undefined) return null;
  if (dots === undefined) return { from: Number(from), to: Number(from) };
  return { from: Number(from ?? Number.NEGATIVE_INFINITY), to: Number(to ?? Number.POSITIVE_INFINITY) };
}

export const isWithin = ({ from, to }: Range, value: number | undefined): boolean =>
  value !== undefined && value >= from && value <= to;
