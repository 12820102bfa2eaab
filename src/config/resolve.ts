import path from 'node:path';
import { parseDuration } from '../core/duration.ts';
import type { Reward } from '../core/reward.ts';
import type { Config, GameServerConfig, ListingConfig, SiteConfig } from './config.ts';
import { Secret } from './config.ts';
import { type ConfigEntries, configSchema } from './schema.ts';
import type { GameServerEntry } from './schema-game-servers.ts';
import type { RewardEntry } from './schema-rewards.ts';
import type { Secrets } from './secret.ts';

const DEFAULT_COOLDOWN_MS = parseDuration('24h') ?? Number.NaN;

/** Checked entries as the parts of the program want them: inheritance done, secrets in place, paths absolute. */
export function resolveConfig(entries: ConfigEntries, secrets: Secrets, file: string): Config {
  const absolute = (relative: string): string => path.resolve(path.dirname(file), relative);
  const { deadline, ...listener } = entries.listener;
  return {
    file,
    listener: { ...listener, deadlineMs: deadline },
    keys: absolute(entries.keys),
    sites: resolveSites(entries.sites, secrets),
    players: entries.players,
    gameServers: new Map(
      Object.entries(entries.gameServers).map(([name, entry]) => [
        name,
        resolveGameServer(name, entry, secrets),
      ]),
    ),
    rewards: entries.rewards.map((reward) => resolveReward(reward, Object.keys(entries.gameServers))),
    ledger: absolute(entries.ledger),
    listing: resolveListing(entries.listing, absolute),
    log: entries.log,
  };
}

function resolveListing(
  { retrySchedule, database, ...listing }: ConfigEntries['listing'],
  absolute: (relative: string) => string,
): ListingConfig {
  return { ...listing, database: absolute(database), retryScheduleMs: retrySchedule };
}

/** The listing service's part where there is no config: its defaults, with its data below this folder. */
export const defaultListing = (folder: string): ListingConfig =>
  resolveListing(configSchema.shape.listing.parse({}), (relative) => path.resolve(folder, relative));

function resolveSites(sites: ConfigEntries['sites'], { tokens }: Secrets): ReadonlyMap<string, SiteConfig> {
  const fallback = {
    token: tokens.get('default') ?? null,
    cooldownMs: sites.default?.cooldown ?? DEFAULT_COOLDOWN_MS,
    label: sites.default?.label ?? null,
  };
  const named: ConfigEntries['sites'] = { default: {}, ...sites };
  const entries = Object.entries(named).map(([name, site]) => {
    const token = tokens.get(name) ?? fallback.token;
    const resolved = {
      token,
      cooldownMs: site.cooldown ?? fallback.cooldownMs,
      label: site.label ?? fallback.label,
    };
    return [name, resolved] as const;
  });
  return new Map(entries);
}

function resolveGameServer(name: string, entry: GameServerEntry, { passwords }: Secrets): GameServerConfig {
  const { commandPause, commandTimeout, joinDelay, presenceInterval, ...rest } = entry;
  const waits = {
    commandPauseMs: commandPause,
    commandTimeoutMs: commandTimeout,
    joinDelayMs: joinDelay,
    presenceIntervalMs: presenceInterval,
  };
  if (rest.kind === 'practice') return { ...rest, ...waits };
  return { ...rest, ...waits, password: passwords.get(name) ?? Secret.missing(`${name} has no password`) };
}

function resolveReward(
  { if: { site, chance }, servers, ...rest }: RewardEntry,
  serverNames: readonly string[],
): Reward {
  const sites = typeof site === 'string' ? [site] : site;
  return {
    ...rest,
    if: { ...(sites === undefined ? {} : { sites }), ...(chance === undefined ? {} : { chance }) },
    // Absent only where there is one game server (`cross-check.ts`).
    servers: servers === undefined || servers === 'all' ? serverNames : servers,
  };
}
