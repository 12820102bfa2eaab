/**
 * What another plugin knew about a player before the move. All times are in milliseconds since the Unix epoch; null
 * means that the plugin does not say.
 */
export interface PlayerBalance {
  readonly kind: 'player';
  /** Checked (rule 8). */
  readonly player: string;
  /** In lower case with hyphens. A hint only: servers in offline mode compute it from the name. */
  readonly uuid: string | null;
  /** Votes of the player, in all and of the month that the plugin was in at `asOf` of the source. From 0. */
  readonly totals: { readonly all: number | null; readonly month: number | null };
  /** Days in a row. */
  readonly streak: {
    /** The run that was in progress; it has ended since if its last day is too long ago. */
    readonly current: number | null;
    readonly best: number | null;
    /** A time on the last day that counted for `current`. */
    readonly lastAt: number | null;
  };
  /** When the player last voted on each site, by service name. */
  readonly lastVotes: ReadonlyMap<string, number>;
}

/** An entry that could not be read; the others are still read. */
export interface UnreadableEntry {
  readonly kind: 'unreadable';
  /** Which entry, such as a UUID and the name of a column. */
  readonly key: string;
  /** The end of a sentence, such as: has no player name. */
  readonly why: string;
}

/** What a plugin stored about its players. */
export interface ImportSource {
  /** Such as `votingplugin`. */
  readonly name: string;
  /** The file that is read. */
  readonly file: string;
  /** When the plugin last wrote it. */
  readonly asOf: number;
  /** Reads one player at a time, so that their number needs no memory. A player can come more than once. */
  balances(): AsyncIterable<PlayerBalance | UnreadableEntry>;
}
