import { type Filled, type Placeholder, withValues } from './placeholders.ts';

/** The largest body of an RCON packet that vanilla reads at once [RCON-6]. */
export const COMMAND_BYTES_MAX = 1446;

/** The longest occasion that a command shows, in characters. */
export const OCCASION_MAX = 128;

/** A count of votes, of days or of sites. */
export const COUNT_BYTES = 10;

/** A name of 16 with a prefix of three, quoted, in bytes of UTF-8. */
export const NAME_BYTES = 27;

/**
 * The longest values that votes can have, in bytes of UTF-8: labels and service names of 64. Links take what is left.
 */
const VALUE_LIMITS: Readonly<Record<Placeholder, number>> = {
  ...{ player: NAME_BYTES, uuid: 36, site: 64, service: 64, userId: 64, voteLinks: 0 },
  ...{ votes: COUNT_BYTES, votesDay: COUNT_BYTES, votesWeek: COUNT_BYTES, votesMonth: COUNT_BYTES },
  ...{ votesSite: COUNT_BYTES, streak: COUNT_BYTES, bestStreak: COUNT_BYTES, sitesLeft: COUNT_BYTES },
  ...{ partyVotes: COUNT_BYTES, partyLeft: COUNT_BYTES },
  // A cooldown has at most 366 days: `366 d 23 h`.
  ...{ occasion: OCCASION_MAX, nextVote: 12 },
};

/** The longest line that a template can become, in bytes, without links. */
export const longestBytes = (template: string): number =>
  Buffer.byteLength(withValues(template, (filled) => 'x'.repeat(bytesOf(filled))));

const bytesOf = (filled: Filled): number =>
  filled.kind === 'word'
    ? VALUE_LIMITS[filled.name]
    : Math.max(...[filled.range.from, filled.range.to].map((bound) => String(bound).length));
