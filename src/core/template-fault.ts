import { nearestWord } from './nearest-word.ts';
import {
  type Filled,
  type Placeholder,
  VOTE_PLACEHOLDERS,
  type VotePlaceholder,
  withValues,
} from './placeholders.ts';
import { OCCASION_MAX } from './template.ts';

/** A mistake in a template that makes the config invalid. */
export type TemplateFault =
  | { readonly kind: 'empty' }
  | { readonly kind: 'line-break' }
  | { readonly kind: 'near-miss'; readonly written: string; readonly meant: VotePlaceholder }
  | { readonly kind: 'too-long'; readonly bytes: number };

/** The largest body of an RCON packet that vanilla reads at once [RCON-6]. */
export const COMMAND_BYTES_MAX = 1446;

/** A count of votes, of days or of sites. */
const COUNT_BYTES = 10;

/**
 * The longest values that votes can have, in bytes of UTF-8: labels and service names of 64, names of 16 with a prefix of
 * three, quoted.
 */
export const VALUE_LIMITS: Readonly<Record<Placeholder, number>> = {
  ...{ player: 27, uuid: 36, site: 64, service: 64, userId: 64 },
  ...{ votes: COUNT_BYTES, votesDay: COUNT_BYTES, votesWeek: COUNT_BYTES, votesMonth: COUNT_BYTES },
  ...{ votesSite: COUNT_BYTES, streak: COUNT_BYTES, bestStreak: COUNT_BYTES, sitesLeft: COUNT_BYTES },
  // A cooldown has at most 366 days: `366 d 23 h`.
  ...{ occasion: OCCASION_MAX, nextVote: 12 },
};

export function templateFaults(template: string): readonly TemplateFault[] {
  if (template === '') return [{ kind: 'empty' }];
  const faults: TemplateFault[] = nearMisses(template);
  if (/[\p{Cc}\u2028\u2029]/u.test(template)) faults.push({ kind: 'line-break' });
  const bytes = longestBytes(template);
  if (bytes > COMMAND_BYTES_MAX) faults.push({ kind: 'too-long', bytes });
  return faults;
}

/** The longest line that a template can become, in bytes. */
export const longestBytes = (template: string): number =>
  Buffer.byteLength(withValues(template, (filled) => 'x'.repeat(bytesOf(filled))));

const bytesOf = (filled: Filled): number =>
  filled.kind === 'word'
    ? VALUE_LIMITS[filled.name]
    : Math.max(...[filled.range.from, filled.range.to].map((bound) => String(bound).length));

/** The names that other plugins use for our placeholders. */
const CUSTOMARY: ReadonlyMap<string, VotePlaceholder> = new Map([
  ...['name', 'user', 'username', 'nick', 'nickname', 'playername', 'displayname', 'voter', 'p'].map(
    (word) => [word, 'player'] as const,
  ),
  ...['sitename', 'website', 'list', 'listing', 'votesite'].map((word) => [word, 'site'] as const),
  ...['servicename', 'servicesite'].map((word) => [word, 'service'] as const),
  ...['playeruuid', 'uniqueid'].map((word) => [word, 'uuid'] as const),
  ...['uid', 'userid'].map((word) => [word, 'userId'] as const),
]);

// The closing mark is a lookahead, because in `%a%player%` the middle mark closes one word and opens the next.
const WORD_IN_MARKS = /([{%])([\w-]+)(?=([}%]))/g;

/** Words in braces or percent signs that are nearly a placeholder of a vote. Any other such word belongs to the command. */
function nearMisses(template: string): TemplateFault[] {
  return [...template.matchAll(WORD_IN_MARKS)].flatMap(([start, opening, word = '', closing = '']) => {
    const meant = placeholderMeant(word);
    const isExact = meant === word && (opening === '{') === (closing === '}');
    if (meant === null || isExact) return [];
    return [{ kind: 'near-miss', written: start + closing, meant } as const];
  });
}

function placeholderMeant(word: string): VotePlaceholder | null {
  const exact = VOTE_PLACEHOLDERS.find((known) => known === word);
  const customary = CUSTOMARY.get(word.toLowerCase().replaceAll(/[-_]/g, ''));
  return exact ?? customary ?? nearestWord(word, VOTE_PLACEHOLDERS);
}
