/** A share from 0 to 1 as a percentage: `3.1%`. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(4))}%`;
