import type { Clock } from '../core/clock.ts';
import type { Cooldown } from '../core/cooldown.ts';
import type { EventKind } from '../core/event-kind.ts';
import type { ForwardTarget } from '../core/forward.ts';
import type { PayRules } from '../core/pay.ts';
import type { ReceiverFormat } from '../core/receiver-form.ts';
import type { Secret } from '../core/secret-value.ts';
import type { GameServerConfig } from '../delivery/game-server.ts';
import { kindOf } from '../delivery/kinds.ts';
import type { Party, Publish, Remind, Reward, Top } from '../rewards/reward.ts';
import type { Settings } from './settings.ts';

export { Secret } from '../core/secret-value.ts';

export interface ListenerConfig {
  readonly host: string;
  readonly port: number;
  readonly protocols: readonly ('v1' | 'v2')[];
  readonly proxyProtocol: 'off' | 'required';
  /** Whether PROXY headers from this address are trusted; null: from any address. */
  readonly isTrustedProxy: ((address: string) => boolean) | null;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly deadlineMs: number;
}

/** One entry of `sites`, including what it inherits from `default`. */
export interface SiteConfig {
  /** null if neither the entry nor `default` has one: v2 votes for the site are refused. */
  readonly token: Secret | null;
  readonly cooldown: Cooldown;
  /** Whether votes that do not take their window are counted in totals too. */
  readonly countsAll: boolean;
  /** The value of `{site}`; null: the cleaned service name. */
  readonly label: string | null;
  /** The page where players vote, of this entry only; null if it has none. */
  readonly url: string | null;
  /** null: the listener's. */
  readonly protocols: readonly ('v1' | 'v2')[] | null;
  /** Whether votes of the site may come from this address; null: from any address. */
  readonly isFrom: ((address: string) => boolean) | null;
  readonly game: SiteGame;
  readonly api: SiteApi | null;
  readonly webhook: SiteWebhook | null;
}

/** Votes for `minecraft` name a player; votes for all other games name a user ID. */
export type SiteGame = 'minecraft' | 'fivem' | 'roblox' | 'hytale' | 'bot';

/** The API in which Teller looks for missed votes. */
export interface SiteApi {
  /** Ends with /api/v1. */
  readonly baseUrl: string;
  readonly token: Secret;
  /** Votes cast earlier are not rewarded; null: the time when the ledger first saw the site. */
  readonly payFrom: number | null;
  readonly maxAgeMs: number;
  readonly intervalMs: number;
}

/** The signed webhook that a site sends. */
export interface SiteWebhook {
  readonly path: string;
  readonly secret: Secret;
  readonly listingId: string;
}

/** Whom to notify of alarms. */
export interface AlarmsConfig {
  /** An http or https URL. A secret, because whoever has a chat channel's URL can post there. */
  readonly url: Secret;
  readonly format: ReceiverFormat;
  /** null: JSON events are not signed. */
  readonly secret: Secret | null;
  /** null: messages do not name this Teller. */
  readonly name: string | null;
}

/** A program or a chat channel that is told what happens. */
export interface EventReceiver {
  /** An http or https URL. A secret, because whoever has a chat channel's URL can post there. */
  readonly url: Secret;
  /** At least one kind, each of them once. */
  readonly on: readonly EventKind[];
  readonly format: ReceiverFormat;
  /** What JSON events are signed with; null: a chat takes no signature. */
  readonly secret: Secret | null;
  /** null: the host of the URL. */
  readonly name: string | null;
}

export interface ListingConfig {
  readonly host: string;
  readonly port: number;
  /** The origin that browsers use, if it differs from host and port. */
  readonly publicUrl?: string | undefined;
  /** SQLite file, absolute. */
  readonly database: string;
  readonly allowTargets: readonly string[];
  /** Networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly retryScheduleMs: readonly number[];
  readonly channelHosts: readonly string[];
}

/** The page for players. */
export interface PublicPageConfig {
  readonly host: string;
  readonly port: number;
  /** The origin that browsers use, if it differs from host and port. */
  readonly publicUrl: string | null;
  /** The name of the game server or network, for its title. */
  readonly name: string | null;
}

/** The operator's pages. */
export interface ConsoleConfig {
  readonly host: string;
  readonly port: number;
  /** The hash of the password (`src/web/auth/passwords.ts`); null if there is none. */
  readonly password: Secret | null;
  /** The origin that browsers use, if it differs from host and port. */
  readonly publicUrl: string | null;
  /** Networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Who may read /metrics. */
  readonly metrics: 'token' | 'open';
  readonly metricsToken: Secret | null;
  /** null: there is no public page. */
  readonly public: PublicPageConfig | null;
}

/** A loaded config: checked, with defaults, absolute paths, and durations in milliseconds. */
export interface Config {
  /** Absolute path of the file. */
  readonly file: string;
  readonly listener: ListenerConfig;
  /** Folder of `public.key` and `private.key`, absolute. */
  readonly keys: string;
  /** By service name; always contains `default`. */
  readonly sites: ReadonlyMap<string, SiteConfig>;
  /** The IANA name of the time zone in which days begin; null: that of the system. */
  readonly timeZone: string | null;
  readonly players: {
    readonly bedrockPrefixes: readonly string[];
  };
  readonly gameServers: ReadonlyMap<string, GameServerConfig>;
  readonly rewards: readonly Reward[];
  readonly pay: PayRules;
  /** How long the ledger keeps addresses and received bytes, in milliseconds; null: for ever. */
  readonly keep: { readonly addressesMs: number | null; readonly wireMs: number | null };
  /** What players earn together. */
  readonly party: readonly Party[];
  readonly tops: readonly Top[];
  readonly publish: readonly Publish[];
  readonly remind: readonly Remind[];
  /** SQLite file, absolute. */
  readonly ledger: string;
  /** null: nobody is notified. */
  readonly alarms: AlarmsConfig | null;
  /** At most 20, each with a URL of its own. */
  readonly events: readonly EventReceiver[];
  /** The port for signed webhooks, which is open if a site has one. */
  readonly webhook: {
    readonly host: string;
    readonly port: number;
    /** The host names that senders use, in lower case and without a final dot. */
    readonly hosts: readonly string[];
  };
  readonly listing: ListingConfig;
  readonly console: ConsoleConfig;
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'auto' | 'text' | 'json';
  };
  /** The same values one by one, for comparing with another config. */
  readonly settings: Settings;
  /** The parsed file with the list of rewards in it, as JSON: it may hold secrets. */
  readonly written: Secret;
}

/**
 * The kind of each game server, as stored in the ledger. If it changes, open grants are held (rule 9). Earlier versions
 * stored the same words.
 */
export const kindByServer = ({ gameServers }: Config): ReadonlyMap<string, string> =>
  new Map(
    [...gameServers].map(([name, server]) => [name, kindOf(server).isPractice ? 'practice' : server.kind]),
  );

/** The IANA name of the time zone in which days begin. */
export const zoneOf = ({ timeZone }: Config, clock: Pick<Clock, 'zone'>): string => timeZone ?? clock.zone;

export const practiceNames = ({ gameServers }: Config): string[] =>
  [...gameServers].flatMap(([name, server]) => (kindOf(server).isPractice ? [name] : []));

/** Whether a game server is not a practice one. */
export const hasReal = (config: Config): boolean => practiceNames(config).length < config.gameServers.size;

/** The game servers to which votes are forwarded. */
export const forwardTargets = ({ gameServers }: Pick<Config, 'gameServers'>): readonly ForwardTarget[] =>
  [...gameServers].flatMap(([name, server]) => {
    const terms = kindOf(server).forwardTerms?.(server);
    return terms === undefined ? [] : [{ server: name, ...terms }];
  });

/** What the log and commands call a receiver. @param at its place in the list, for a URL that is missing here. */
export const receiverName = ({ name, url }: EventReceiver, at: number): string =>
  name ?? (url.missing === null ? new URL(url.reveal()).host : `events[${at}]`);

/** Everything that grants are made of, by names of which each is used once (rule 14). */
export const namedRewards = ({
  rewards,
  party,
  tops,
}: Pick<Config, 'rewards' | 'party' | 'tops'>): readonly Reward[] => [...rewards, ...party, ...tops];
