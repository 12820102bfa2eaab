import leven from 'leven';

/** Longer words may have more typos. Words of one or two letters may have none, or every short word would match. */
const typosAllowed = (known: string): number =>
  known.length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor(known.length / 3)));

const folded = (word: string): string => word.toLowerCase().replaceAll(/[-_\s]/g, '');

const letters = (word: string): string => [...word].sort().join('');

/** Two swapped letters (`prot`) count as one typo; Levenshtein counts two. */
function typosBetween(written: string, known: string): number {
  const distance = leven(written, known);
  return distance === 2 && letters(written) === letters(known) ? 1 : distance;
}

/** The known word that was probably meant, ignoring case, hyphens and a few typos; null if no word is close. */
export const nearestWord = <Word extends string>(written: string, known: Iterable<Word>): Word | null =>
  nearestWords(written, known, 1)[0] ?? null;

/** The same for several words, the nearest first; of those that are as near, the one that comes first. */
export function nearestWords<Word extends string>(
  written: string,
  known: Iterable<Word>,
  most: number,
): readonly Word[] {
  const meant = folded(written);
  const near: { readonly word: Word; readonly typos: number }[] = [];
  for (const word of known) {
    const typos = typosBetween(meant, folded(word));
    if (typos <= typosAllowed(word)) near.push({ word, typos });
  }
  near.sort((one, other) => one.typos - other.typos);
  return near.slice(0, most).map(({ word }) => word);
}
