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
export function nearestWord<Word extends string>(written: string, known: Iterable<Word>): Word | null {
  let nearest: { word: Word; typos: number } | null = null;
  for (const word of known) {
    const typos = typosBetween(folded(written), folded(word));
    if (typos > typosAllowed(word)) continue;
    if (nearest === null || typos < nearest.typos) nearest = { word, typos };
  }
  return nearest?.word ?? null;
}
