/** A share from 0 to 1 as it is shown. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(4))}%`;
