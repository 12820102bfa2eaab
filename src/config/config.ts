import type { GameServerConfig } from '../delivery/game-server-kind.ts';
import { kindOf } from '../delivery/kinds.ts';
import type { Reward } from '../rewards/reward.ts';
import type { Secret } from './secret-value.ts';
import type { Settings } from './settings.ts';

export { Secret } from './secret-value.ts';

export interface ListenerConfig {
  readonly host: string;
  readonly port: number;
  readonly protocols: readonly ('v1' | 'v2')[];
  readonly proxyProtocol: 'off' | 'required';
  /** Whose PROXY headers are believed; null: anybody’s. */
  readonly isTrustedProxy: ((address: string) => boolean) | null;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly deadlineMs: number;
}

/** One entry of `sites`, with what it inherits from `default` filled in. */
export interface SiteConfig {
  /** null where neither the entry nor `default` has one: v2 votes for it are refused. */
  readonly token: Secret | null;
  readonly cooldownMs: number;
  /** What `{site}` shows; null: the cleaned service name. */
  readonly label: string | null;
  /** null: those of the listener. */
  readonly protocols: readonly ('v1' | 'v2')[] | null;
  /** Whether its votes may come from this address; null: from any. */
  readonly isFrom: ((address: string) => boolean) | null;
  readonly game: SiteGame;
  readonly api: SiteApi | null;
  readonly webhook: SiteWebhook | null;
}

/** Whom its votes pay: a player on `minecraft`, a user ID on all others. */
export type SiteGame = 'minecraft' | 'fivem' | 'roblox' | 'hytale' | 'bot';

/** Where missed votes are found. */
export interface SiteApi {
  /** Ends in /api/v1. */
  readonly baseUrl: string;
  readonly token: Secret;
  /** Votes cast before it are not rewarded; null: those cast before the ledger first met the site. */
  readonly payFrom: number | null;
  readonly maxAgeMs: number;
  readonly intervalMs: number;
}

/** How the site's signed webhook comes in. */
export interface SiteWebhook {
  readonly path: string;
  readonly secret: Secret;
  readonly listingId: string;
}

export interface ListingConfig {
  readonly host: string;
  readonly port: number;
  /** The origin under which browsers reach it, where that is not its own address. */
  readonly publicUrl?: string | undefined;
  /** SQLite file, absolute. */
  readonly database: string;
  readonly allowTargets: readonly string[];
  /** Networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly retryScheduleMs: readonly number[];
  readonly channelHosts: readonly string[];
}

/** A config after loading: checked, defaults filled in, paths absolute, durations in milliseconds. */
export interface Config {
  /** Absolute path of the file. */
  readonly file: string;
  readonly listener: ListenerConfig;
  /** Folder of `public.key` and `private.key`, absolute. */
  readonly keys: string;
  /** By service name; `default` is always there. */
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly players: { readonly bedrockPrefixes: readonly string[] };
  readonly gameServers: ReadonlyMap<string, GameServerConfig>;
  readonly rewards: readonly Reward[];
  /** SQLite file, absolute. */
  readonly ledger: string;
  /** Where signed webhooks come in, if a site has one. */
  readonly webhook: {
    readonly host: string;
    readonly port: number;
    /** Names that it is reached by, in lower case and without a dot at the end. */
    readonly hosts: readonly string[];
  };
  readonly listing: ListingConfig;
  readonly log: {
    readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'auto' | 'text' | 'json';
  };
  /** The same values one by one, to tell what another config changes. */
  readonly settings: Settings;
}

/**
 * What each game server is to the ledger, which holds what is open where this changes (rule 9). Ledgers of earlier
 * versions hold the same words.
 */
export const kindByServer = ({ gameServers }: Config): ReadonlyMap<string, string> =>
  new Map(
    [...gameServers].map(([name, server]) => [name, kindOf(server).isPractice ? 'practice' : server.kind]),
  );

export const practiceNames = ({ gameServers }: Config): string[] =>
  [...gameServers].flatMap(([name, server]) => (kindOf(server).isPractice ? [name] : []));
