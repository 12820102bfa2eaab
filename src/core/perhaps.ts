import leven from 'leven';

/** The longer a word, the more slips are forgiven; a word of one or two letters is near everything. */
const slipsForgiven = (known: string): number =>
  known.length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor(known.length / 3)));

const folded = (word: string): string => word.toLowerCase().replaceAll(/[-_\s]/g, '');

const letters = (word: string): string => [...word].sort().join('');

/** Two letters the wrong way round (`prot`) are one slip; Levenshtein counts two. */
function slipsBetween(written: string, known: string): number {
  const distance = leven(written, known);
  return distance === 2 && letters(written) === letters(known) ? 1 : distance;
}

/** The known word that was probably meant (case, hyphens and a few slips aside), or null. */
export function perhapsMeant<Word extends string>(written: string, known: Iterable<Word>): Word | null {
  let nearest: { word: Word; slips: number } | null = null;
  for (const word of known) {
    const slips = slipsBetween(folded(written), folded(word));
    if (slips > slipsForgiven(word)) continue;
    if (nearest === null || slips < nearest.slips) nearest = { word, slips };
  }
  return nearest?.word ?? null;
}
