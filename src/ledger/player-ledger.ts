import type { Days, Per } from '../core/period.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Recipient } from '../core/vote.ts';
import type { Rules } from '../rewards/reward.ts';
import type { BalanceWhat } from './import-ledger.ts';

/** A name under which a game server showed a UUID. */
export interface SeenPlayer {
  /** In the spelling that the game server shows. */
  readonly name: string;
  /** In lower case, with hyphens. */
  readonly uuid: string;
}

export interface SeenReport {
  readonly players: readonly SeenPlayer[];
  /** The name of the game server in the config. */
  readonly server: string;
  readonly rules: Rules;
}

/** What changed about players, and who changed it. */
export type PlayerChangeKind =
  /** A name was joined to a player, by a game server or by the operator. */
  | 'joined'
  | 'merged'
  | 'split'
  /** The name belongs to another player now. */
  | 'name-taken'
  /** The player has the name again. */
  | 'name-back'
  | 'forgotten'
  /** An import found that the player had reached rewards elsewhere. */
  | 'imported';

export interface PlayerChange {
  readonly kind: PlayerChangeKind;
  /** In lower case. */
  readonly name: string;
  readonly at: number;
  /** The name of a game server, the account of an operator, or what was imported by whom. */
  readonly by: string;
}

export interface PlayerNameRow {
  /** In lower case. */
  readonly name: string;
  /** When it was given up to another player; null while it belongs to this one. */
  readonly givenUpAt: number | null;
  readonly onlineUuid: string | null;
  readonly floodgateUuid: string | null;
}

/** What another plugin had counted, as it was imported. */
export interface BalanceRow {
  /** In lower case. */
  readonly name: string;
  /** Such as `votingplugin`. */
  readonly source: string;
  readonly asOf: number;
  readonly what: BalanceWhat;
  /** What the plugin stated. */
  readonly stated: number;
  /** How many of them are in the total or period here, beside votes that the ledger has one by one; null for runs. */
  readonly counted: number | null;
}

/** A player, as far as the ledger knows them. */
export interface PlayerRow {
  /** All names, that of the history first. */
  readonly names: readonly PlayerNameRow[];
  /** The name that grants are paid to; null: another player has it, and this one was not seen since. */
  readonly paidAs: string | null;
  /** Votes that count in totals. */
  readonly votes: number;
  /** What was passed by joining names, or reached before Teller ran, and was not paid. The operator can give it. */
  readonly passed: readonly {
    readonly reward: string;
    /** With `last`: the first of many totals. */
    readonly occasion: string;
    /** The last of many totals that were passed at once, and how far they are apart; null: it is one occasion. */
    readonly last: number | null;
    readonly step: number | null;
    readonly by: 'joining' | 'import';
  }[];
  /** What was imported for each name. */
  readonly balances: readonly BalanceRow[];
  /** UUIDs that plugins had for a name, which is in lower case. They join nothing. */
  readonly importedUuids: readonly {
    readonly uuid: string;
    readonly source: string;
    readonly name: string;
  }[];
  /** UUIDs that v2 votes named, the latest first. They join nothing. */
  readonly hints: readonly string[];
  /** Newest last. */
  readonly changes: readonly PlayerChange[];
}

/** Who changes a player, and to what rewards apply. */
export interface PlayerOrder {
  readonly name: PlayerName;
  /** The account on this machine. */
  readonly by: string;
  readonly rules: Rules;
}

export interface MergeOrder extends PlayerOrder {
  /** The player who keeps their history; `name` joins them. */
  readonly into: PlayerName;
}

export type PlayerRefusal = Extract<
  ProblemCode,
  'player-missing' | 'players-same' | 'players-differ' | 'players-shared-name' | 'player-not-joined'
>;

export type PlayerChanged =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly code: PlayerRefusal };

export type ForgetOrder = Omit<PlayerOrder, 'rules'>;

/** Up to which vote and grant it is done; null: no grant yet. */
export interface ForgetProgress {
  readonly vote: number;
  readonly grant: number | null;
}

export type ForgetStep =
  | { readonly kind: 'forgetting'; readonly progress: ForgetProgress }
  /** `name`: what stands for the player now. */
  | { readonly kind: 'forgotten'; readonly name: string }
  | { readonly kind: 'refused'; readonly code: Extract<PlayerRefusal, 'player-missing'> };

/** What was received before these times is removed; null: nothing. */
export interface Kept {
  readonly addresses: number | null;
  readonly wire: number | null;
}

/** What game servers show about players, and what is kept of them. */
export interface PlayerLedger {
  /**
   * Joins names, starts players whose names belonged to others, and holds and releases grants accordingly, all in one
   * transaction. Only the deliverer calls it.
   *
   * @returns whether anything but a first sighting changed, so that grants have to be read again.
   */
  storeSeen(report: SeenReport, now: number): Promise<boolean>;
  /** Holds a grant whose player has no name that they can be paid to; does nothing to any other grant. */
  holdNameTaken(grantId: number, now: number): Promise<void>;
  /**
   * Removes addresses and received bytes of old votes, and the senders of old refusals, a portion with each call.
   *
   * @returns whether there is more.
   */
  removeOld(kept: Kept): Promise<boolean>;
  /**
   * Removes from the disk what was removed or replaced in the ledger: until then it can be read in the -wal.
   *
   * @param patienceMs how long to wait for others that read the ledger.
   * @returns whether it was done.
   */
  erase(patienceMs: number): Promise<boolean>;
}

export interface PlayerOperatorLedger {
  /** Joins two players into one, as if a game server had shown it. Joining pays nothing. */
  mergePlayers(order: MergeOrder, now: number): Promise<PlayerChanged>;
  /** Gives a name that was joined its own history back. */
  splitPlayer(order: Omit<PlayerOrder, 'rules'>, now: number): Promise<PlayerChanged>;
  /**
   * Replaces a player's names, UUIDs, addresses and received bytes everywhere, a portion with each call, and cancels what
   * is still owed to them. Their votes stay counted.
   *
   * @param progress null: the first call.
   */
  forgetPlayer(order: ForgetOrder, progress: ForgetProgress | null, now: number): Promise<ForgetStep>;
}

export interface PlayerFigures {
  /** Votes that count in totals, of the periods that today belongs to. */
  readonly counts: Readonly<Record<Per | 'total', number>>;
  /** The days in a row with a vote up to today or yesterday; null: none. */
  readonly streak: Days | null;
  /** How many days in a row they voted at most. */
  readonly bestStreak: number;
}

export interface PlayerReader {
  /** The players who have or had a name, in any case: the present one first. */
  players(name: string): Promise<readonly PlayerRow[]>;
  /** null for a recipient that was never named. */
  playerFigures(recipient: Pick<Recipient, 'kind' | 'key'>, today: number): Promise<PlayerFigures | null>;
  /** Names that are nearly written so, in lower case: with or without a Bedrock prefix first, then with few typos. */
  similarNames(key: string, bedrockPrefixes: readonly string[], most: number): Promise<readonly string[]>;
  /** Names of players that begin so, in alphabetical order, in lower case. */
  namesBeginning(key: string, most: number): Promise<readonly string[]>;
  /** The names of the player with this UUID, in lower case, those that they still have first; none for any other text. */
  namesOfUuid(uuid: string): Promise<readonly string[]>;
}
