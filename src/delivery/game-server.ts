/**
 * The contract between delivery and the kinds of game server: what a queue asks of a connected game server, and all that Teller knows
 * of a kind. docs/contributing/adding-a-game-server-kind.md says what each part promises. The list of kinds is in `kinds.ts`.
 */
import type { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { Finding } from '../core/finding.ts';
import type { ForwardTerms } from '../core/forward.ts';
import type { CannotTellCode, KindCode, NotSentCode, PauseCode } from '../core/game-server-codes.ts';
import type { Log } from '../core/log.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Random } from '../core/random.ts';
import type { Secret } from '../core/secret-value.ts';
import type { ShownPlayers } from '../core/shown-players.ts';
import type { GrantCause } from '../ledger/ledger.ts';
import type { ReplyPatterns } from './replies.ts';

/** What delivery needs of a game server of any kind. One command at a time: a second call waits for the first. */
export interface GameServer {
  /**
   * Waits until the pause after the last command is over, so that an answer about who is online is still fresh when a
   * command is sent. Connects if there is no connection and no backoff after a failure. Never rejects.
   */
  open(): Promise<Opening>;
  /**
   * Like `open`, and makes sure that the connection has answered in the last seconds, with a harmless question if
   * necessary. Called before a command is claimed, so that a dead connection costs no attempt and a command is not
   * claimed long before it is sent. Never rejects.
   */
  ready(): Promise<Opening>;
  /** Whether `run` would write a command at once: no pause is left, and a connection that answered lately is open. */
  sendsAtOnce(): boolean;
  /**
   * Runs one command line and says how it ended. Never rejects.
   *
   * @param template the command with its player not filled in; without it, the command counts as naming the player.
   * @param about only where `tellsAbout` is true; absent for a command that the operator tries.
   */
  run(command: string, template?: string, about?: CommandAbout): Promise<Outcome>;
  /** Whether it passes on what a command is run for. */
  readonly tellsAbout?: true;
  /** Runs a command that changes nothing, possibly twice, and returns the whole reply. Never rejects. */
  ask(question: string): Promise<Answered>;
  /**
   * Who is online. `wanted` are the names that grants wait for: if the list cannot be relied on, a server that knows
   * `execute if entity` is asked for each of them. Never rejects.
   */
  presence(wanted: readonly string[]): Promise<Presence>;
  /**
   * Makes a player join; only practice servers with `autoJoin` can.
   *
   * @returns whether the player was offline until now.
   */
  join?(player: string): boolean;
  /** When it is tried again, in monotonic time, which may be past; absent or null: the last try did not fail. */
  readonly retryAt?: number | null;
  /** Ends the connection; a command in flight ends as `unknown`, later ones as `not-sent`. */
  close(): Promise<void>;
}

/** Whether a command can be sent now. */
export type Opening =
  | { readonly kind: 'open' }
  /** It could not be reached; the next attempt to connect is `restMs` away. */
  | { readonly kind: 'resting'; readonly reason: NotSentCode; readonly restMs: number };

/** Who is on a game server, as it reports. Never guessed: a list whose names do not match its count is not used. */
export type Presence =
  /** All players who are online. */
  | (ShownPlayers & { readonly kind: 'known' })
  /** The server had to be asked for each of `wanted`: those who are online, spelled as asked. Others are not known. */
  | { readonly kind: 'asked'; readonly names: readonly string[] }
  /** The server answered, but the answer does not say who is online. */
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode }
  /** No answer came. */
  | { readonly kind: 'unreachable'; readonly reason: PauseCode };

/** No player has this name: a server that is asked about them, and answers no, can be asked about any player. */
export const NOBODY = 'Teller_check';

/** The answer to a question that changes nothing. */
export type Answered =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'unanswered'; readonly reason: PauseCode };

/** What a command is run for. */
export interface CommandAbout extends GrantCause {
  /** The ID of its grant. */
  readonly grant: number;
  /** Its place in the grant, from 0 on. */
  readonly position: number;
  readonly reward: string;
  /** null for a user ID. */
  readonly player: string | null;
  /** null if no game server has shown it. */
  readonly uuid: string | null;
  /** 1 the first time that it is sent. */
  readonly attempt: number;
}

/**
 * All that Teller knows about one kind of game server. This is loaded whenever a config is read, so `connect` and `check` import
 * code that opens sockets or starts processes only when they are called: from a second file of the kind, which `kinds.ts` adds.
 */
export interface GameServerKind<Config extends GameServerConfig = GameServerConfig> {
  /** The value of `kind` in the config. */
  readonly name: string;
  /** For `config explain`, in a few words. */
  readonly means: string;
  /** Its own keys of the config. */
  readonly schema: z.ZodRawShape;
  /** The key of `schema` that holds its secret; null if it has none. */
  readonly secretKey: string | null;
  /** The keys of `schema` that hold paths: the config makes them absolute, starting at its own folder. */
  readonly pathKeys?: readonly string[];
  /** Whether a value of `pathKeys` is a path; without this, it always is. */
  isPath?(value: string): boolean;
  /** Faults that concern more than one key. The entry is as written, and any of its values may be invalid. */
  faultsOf?(entry: Readonly<Record<string, unknown>>, around: ConfigAround): readonly KindFault[];
  readonly reasons?: KindReasons;
  /** Where such a server is, as a person writes it; null: inside this process. Never contains a secret. */
  placeOf(server: Config): string | null;
  /**
   * Whether such a server can report who is online: rewards with `"when": "online"` need that. The entry is as written, and any
   * of its values may be invalid.
   */
  reportsPresence(entry: Readonly<Record<string, unknown>>): boolean;
  /** Whether rewards paid there reach no real player (rule 9). */
  readonly isPractice: boolean;
  /**
   * Loads the code that `connect` imports, and that of `check` if a running Teller calls it. Called for every kind before
   * Teller listens, because loading code reads files on the main thread (rule 13) and a reload may add a game server of any
   * kind.
   */
  load?(): Promise<unknown>;
  /**
   * Only of a kind that takes votes instead of commands: each vote is forwarded to it (`core/forward.ts`), and no reward
   * can name it.
   */
  forwardTerms?(server: Config): ForwardTerms;
  /** Throws the Problem `secret-missing`. */
  connect(server: Config, parts: ConnectParts): Promise<GameServer>;
  /** What `teller check` reports about one such server. It changes nothing there. */
  check(server: Config, parts: CheckParts): Promise<readonly Finding[]>;
}

/** What stands in the first file of a kind that has two. */
export type KindInConfig<Config extends GameServerConfig> = Omit<
  GameServerKind<Config>,
  'load' | 'connect' | 'check'
>;

/** What the second file exports. */
export interface KindAtWork<Config extends GameServerConfig> {
  /** Throws the Problem `secret-missing`. */
  connect(server: Config, parts: ConnectParts): GameServer;
  check: GameServerKind<Config>['check'];
}

/** What the config says about a game server of any kind, durations in milliseconds. */
export interface GameServerConfig extends ReplyPatterns {
  /** The name of its `GameServerKind`. */
  readonly kind: string;
  /** Shortest pause between the end of one command and the start of the next. */
  readonly commandPauseMs: number;
  /** How long to wait for a complete reply before the outcome is unknown. */
  readonly commandTimeoutMs: number;
  /** How long after a player was first seen online their grants are tried. */
  readonly joinDelayMs: number;
  /** How often the player list is read while a grant waits for a player. */
  readonly presenceIntervalMs: number;
}

/** The config of one kind: the keys that every kind has, and its own keys as its schema reads them. */
export type ConfigOf<Schema extends z.ZodRawShape, SecretKey extends string = never> = GameServerConfig & {
  readonly [Key in keyof Schema]: Key extends SecretKey ? Secret : z.output<Schema[Key]>;
};

/** A kind's own codes with their sentences, by what they say about a command or about who is online. */
export interface KindReasons {
  readonly notSent?: Readonly<Record<KindCode, string>>;
  readonly neverSent?: Readonly<Record<KindCode, string>>;
  readonly unknown?: Readonly<Record<KindCode, string>>;
  readonly cannotTell?: Readonly<Record<KindCode, string>>;
}

/** What an entry of `gameServers` can be compared with. */
export interface ConfigAround {
  /** As written, or as by default. */
  readonly listener: { readonly host: string; readonly port: number };
  /** Whether every vote is paid here: `pay` has neither shadow nor a time. */
  readonly isAllPaidHere: boolean;
}

/** What is wrong with a key of an entry of `gameServers`, or that it is missing. */
export interface KindFault {
  readonly key: string;
  /** Follows the key. */
  readonly sentence: string;
}

export interface ConnectParts {
  /** The name of the game server in the config. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The practice server of this name inside this process; null if the config has none. */
  readonly embedded: EmbeddedServer | null;
}

interface EmbeddedServer {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** @returns whether the player was offline until now. */
  join(player: string): boolean;
}

export interface CheckParts {
  /** The name of the game server in the config. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a reward for this game server has {uuid} in a command. */
  readonly needsUuids: boolean;
  /** Whether a running Teller is connected to it. */
  readonly isInUse: () => Promise<boolean>;
  /** What a code says to the operator. */
  readonly sentenceOf: (code: PauseCode | CannotTellCode) => string;
}
