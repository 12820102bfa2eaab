import path from 'node:path';
import { withinNetworks } from '../core/address.ts';
import { ANNOUNCED_FOR_MS } from '../core/announcement.ts';
import type { Cooldown } from '../core/cooldown.ts';
import { DAY_MS } from '../core/duration.ts';
import type { GrantTerms } from '../core/grant-terms.ts';
import { Secret } from '../core/secret-value.ts';
import type { GameServerConfig, GameServerKind } from '../delivery/game-server.ts';
import { kindOf, secretKeysOf, takesCommands } from '../delivery/kinds.ts';
import { systemZone } from '../platform/zone.ts';
import type { Party, Reward, Top } from '../rewards/reward.ts';
import type {
  AlarmsConfig,
  Config,
  ConsoleConfig,
  EventReceiver,
  ListingConfig,
  SiteApi,
  SiteConfig,
  SiteWebhook,
} from './config.ts';
import { formIn, pathOf, type ReceiverSecrets } from './event-faults.ts';
import { pathText } from './fault.ts';
import { type ConfigEntries, configSchema } from './schema.ts';
import type { ReceiverEntry } from './schema-events.ts';
import { type GameServerEntry, NO_COMMANDS } from './schema-game-servers.ts';
import { announcementOf, messagesOf } from './schema-messages.ts';
import type { RewardEntry } from './schema-rewards.ts';
import type { PartyEntry, TopEntry } from './schema-together.ts';
import type { Secrets } from './secret.ts';
import { settingsOf } from './settings.ts';

const DEFAULT_COOLDOWN: Cooldown = { kind: 'span', ms: DAY_MS };

/**
 * Turns checked entries into a config: applies inheritance, inserts secrets, makes paths absolute.
 *
 * @param written the parsed file.
 */
export function resolveConfig(
  entries: ConfigEntries,
  secrets: Secrets,
  file: string,
  written: unknown,
): Config {
  const absolute = (relative: string): string => path.resolve(path.dirname(file), relative);
  const { deadline, trustedProxies, ...listener } = entries.listener;
  const paying = payingServers(entries.gameServers);
  return {
    file,
    listener: {
      ...listener,
      deadlineMs: deadline,
      isTrustedProxy: trustedProxies.length === 0 ? null : withinNetworks(trustedProxies),
    },
    keys: absolute(entries.keys),
    sites: resolveSites(entries, secrets),
    timeZone: entries.timeZone ?? null,
    players: entries.players,
    keep: { addressesMs: entries.keep.addresses ?? null, wireMs: entries.keep.wire ?? null },
    gameServers: new Map(
      Object.entries(entries.gameServers).map(([name, entry]) => [
        name,
        resolveGameServer(name, entry, secrets, absolute),
      ]),
    ),
    rewards: entries.rewards.map((reward) => resolveReward(reward, paying)),
    party: entries.party.map((party) => resolveParty(party, paying)),
    ...resolveTold(entries, paying),
    tops: entries.tops.map((top) => resolveTop(top, paying)),
    pay: { mode: entries.pay.mode, from: entries.pay.from ?? null },
    ledger: absolute(entries.ledger),
    alarms: resolveAlarms(entries, secrets),
    events: entries.events.map((entry, at) => resolveReceiver(entry, secrets.eventSecrets[at], at)),
    webhook: { ...entries.webhook, hosts: entries.webhook.hosts.map(plainName) },
    listing: resolveListing(entries.listing, absolute),
    console: resolveConsole(entries.console, secrets),
    log: entries.log,
    settings: settingsOf(entries, secrets, written),
    written: new Secret(JSON.stringify(written)),
  };
}

function resolveAlarms({ alarms }: ConfigEntries, { alarmsSecrets }: Secrets): AlarmsConfig | null {
  if (alarms === undefined) return null;
  const url = alarmsSecrets.get('url') ?? Secret.missing('alarms has no url');
  const secret = alarmsSecrets.get('secret') ?? null;
  return { url, format: alarms.format, secret, name: alarms.name ?? null };
}

/** Host names are compared without case and without the final dot. */
const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

function resolveListing(
  { retrySchedule, database, ...listing }: ConfigEntries['listing'],
  absolute: (relative: string) => string,
): ListingConfig {
  return { ...listing, database: absolute(database), retryScheduleMs: retrySchedule };
}

/** The defaults of `listing` for use without a config, with data below this folder. */
export const defaultListing = (folder: string): ListingConfig =>
  resolveListing(configSchema.shape.listing.parse({}), (relative) => path.resolve(folder, relative));

function resolveSites({ sites, timeZone }: ConfigEntries, secrets: Secrets): ReadonlyMap<string, SiteConfig> {
  const cooldownOf = (site: SiteEntry | undefined) => resolveCooldown(site?.cooldown, timeZone);
  const fallback = {
    token: secrets.tokens.get('default') ?? null,
    cooldown: cooldownOf(sites.default) ?? DEFAULT_COOLDOWN,
    counts: sites.default?.counts ?? 'rewarded',
    label: sites.default?.label ?? null,
    protocols: sites.default?.protocols ?? null,
    isFrom: isFromOf(sites.default?.from),
  };
  const named: ConfigEntries['sites'] = { default: { game: 'minecraft' }, ...sites };
  const entries = Object.entries(named).map(([name, site]) => {
    const resolved: SiteConfig = {
      token: secrets.tokens.get(name) ?? fallback.token,
      cooldown: cooldownOf(site) ?? fallback.cooldown,
      countsAll: (site.counts ?? fallback.counts) === 'all',
      label: site.label ?? fallback.label,
      url: site.url ?? null,
      protocols: site.protocols ?? fallback.protocols,
      isFrom: isFromOf(site.from) ?? fallback.isFrom,
      game: site.game,
      api: resolveApi(name, site, secrets),
      webhook: resolveWebhook(name, site, secrets),
    };
    return [name, resolved] as const;
  });
  return new Map(entries);
}

function resolveCooldown(written: SiteEntry['cooldown'], timeZone: string | undefined): Cooldown | null {
  if (written === undefined || written.kind === 'span') return written ?? null;
  return { ...written, zone: written.zone ?? timeZone ?? systemZone() };
}

const isFromOf = (networks: readonly string[] | undefined): SiteConfig['isFrom'] =>
  networks === undefined ? null : withinNetworks(networks);

type SiteEntry = ConfigEntries['sites'][string];

function resolveApi(name: string, { api }: SiteEntry, { apiTokens }: Secrets): SiteApi | null {
  if (api === undefined) return null;
  const { baseUrl, payFrom = null, maxAge, interval } = api;
  const token = apiTokens.get(name) ?? Secret.missing(`sites.${name}.api has no token`);
  return { baseUrl, token, payFrom, maxAgeMs: maxAge, intervalMs: interval };
}

function resolveWebhook(
  name: string,
  { webhook }: SiteEntry,
  { webhookSecrets }: Secrets,
): SiteWebhook | null {
  if (webhook === undefined) return null;
  const secret = webhookSecrets.get(name) ?? Secret.missing(`sites.${name}.webhook has no secret`);
  return { path: webhook.path, listingId: webhook.listingId, secret };
}

const resolveReward = (
  { servers, limit, commands = [], prizes = [], oneOf = [], otherwise = [], ...entry }: RewardEntry,
  serverNames: readonly string[],
): Reward => {
  const { delay, expiresAfter, message, title, sound, ...other } = entry;
  const { broadcast, announce, atMost, ...rest } = other;
  return {
    ...rest,
    messages: messagesOf({ message, title, sound, broadcast }),
    announcement: announcementOf(entry),
    terms: resolveTerms(entry),
    ...{ commands, prizes, oneOf, otherwise },
    limit: limit ?? null,
    ...paidOn(servers, serverNames),
  };
};

/** Omitted only if there is one game server (`cross-check.ts`). */
function paidOn(
  servers: RewardEntry['servers'],
  serverNames: readonly string[],
): Pick<Reward, 'servers' | 'whereOnline'> {
  if (typeof servers === 'object' && 'whereOnline' in servers)
    return { servers: servers.whereOnline, whereOnline: true };
  const isEach = servers === undefined || typeof servers === 'string';
  return { servers: isEach ? serverNames : servers, whereOnline: servers === 'where-online' };
}

/** What is only announced expires whether or not the reward says so. */
const expiryOf = ({ announce, expiresAfter }: RewardEntry): number | null =>
  announce ? Math.min(expiresAfter ?? ANNOUNCED_FOR_MS, ANNOUNCED_FOR_MS) : (expiresAfter ?? null);

function resolveTerms(entry: RewardEntry): GrantTerms | null {
  const { delay: delayMs } = entry;
  const expiresAfterMs = expiryOf(entry);
  return delayMs === 0 && expiresAfterMs === null ? null : { delayMs, expiresAfterMs };
}

/** What an entry that is no reward of single votes lacks of one. */
const NO_REWARD_OF_VOTES = {
  ...{ limit: null, stop: false, firstOf: null, terms: null },
  ...{ prizes: [], oneOf: [], otherwise: [], messages: [] },
  announcement: null,
} as const;

const resolveParty = (
  { servers, reset, announceLeft, when, ...rest }: PartyEntry,
  serverNames: readonly string[],
): Party => ({
  ...NO_REWARD_OF_VOTES,
  ...rest,
  reset: reset ?? null,
  announceLeft: announceLeft.toSorted((a, b) => b - a),
  when: rest.for === 'once' ? 'always' : when,
  ...paidOn(servers, serverNames),
});

const resolveTop = (
  { servers, settle, exclude, ...rest }: TopEntry,
  serverNames: readonly string[],
): Top => ({
  ...NO_REWARD_OF_VOTES,
  commands: [],
  ...rest,
  exclude,
  settleMs: settle,
  ...paidOn(servers, serverNames),
});

/** What is sent again and again. */
const resolveTold = (
  { publish, remind }: Pick<ConfigEntries, 'publish' | 'remind'>,
  serverNames: readonly string[],
): Pick<Config, 'publish' | 'remind'> => ({
  publish: publish.map(({ every, servers, ...rest }) => ({
    ...rest,
    everyMs: every,
    servers: paidOn(servers, serverNames).servers,
  })),
  remind: remind.map(({ every, servers, ...rest }) => ({
    ...rest,
    everyMs: every ?? null,
    servers: paidOn(servers, serverNames).servers,
  })),
});

const resolveConsole = (
  { publicUrl, public: page, ...console }: ConfigEntries['console'],
  { consoleSecrets }: Secrets,
): ConsoleConfig => ({
  ...console,
  password: consoleSecrets.get('password') ?? null,
  publicUrl: publicUrl ?? null,
  metricsToken: consoleSecrets.get('metricsToken') ?? null,
  public: page === undefined ? null : { ...page, publicUrl: page.publicUrl ?? null, name: page.name ?? null },
});

/** @param at the receiver's place in the list. */
function resolveReceiver(
  { on, format, name }: ReceiverEntry,
  secrets: ReceiverSecrets = new Map(),
  at: number,
): EventReceiver {
  const form = formIn(secrets, format);
  const isChat = format === 'chat' || (form !== null && form !== 'json');
  const missing = (key: 'url' | 'secret') => Secret.missing(`${pathText(pathOf(at, key))} is missing`);
  return {
    ...{ on, format, name: name ?? null },
    url: secrets.get('url') ?? missing('url'),
    secret: isChat ? null : (secrets.get('secret') ?? missing('secret')),
  };
}

function resolveGameServer(
  name: string,
  entry: GameServerEntry,
  { gameServerSecrets }: Secrets,
  absolute: (relative: string) => string,
): GameServerConfig {
  const kind = kindOf(entry);
  const { commandPause, commandTimeout, joinDelay, presenceInterval, ...own } =
    kind.forwardTerms === undefined ? entry : { ...NO_COMMANDS, ...entry };
  const rest = { ...own, ...absolutePaths(kind, own, absolute) };
  const waits = {
    commandPauseMs: commandPause,
    commandTimeoutMs: commandTimeout,
    joinDelayMs: joinDelay,
    presenceIntervalMs: presenceInterval,
  };
  const found = gameServerSecrets.get(name);
  const secrets = secretKeysOf(kind).map((key) => [
    key,
    found?.get(key) ?? Secret.missing(`${name} has no ${key}`),
  ]);
  return { ...rest, ...waits, ...Object.fromEntries(secrets) };
}

const absolutePaths = (
  { pathKeys = [], isPath = () => true }: Pick<GameServerKind, 'pathKeys' | 'isPath'>,
  entry: Readonly<Record<string, unknown>>,
  absolute: (relative: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pathKeys.flatMap((key) => {
      const value = entry[key];
      return typeof value === 'string' && isPath(value) ? [[key, absolute(value)]] : [];
    }),
  );

/** What a reward means that names no game servers. */
const payingServers = (gameServers: ConfigEntries['gameServers']): readonly string[] =>
  Object.entries(gameServers).flatMap(([name, { kind }]) => (takesCommands(kind) ? [name] : []));
