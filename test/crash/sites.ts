/** The config of the Teller that is killed: the listings on which votes are cast, and what their votes earn. The checks share it. */
import { API_TOKEN } from '../kit/listing-api.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, SECRET } from '../kit/webhook.ts';

export interface Site {
  /** The service name, which is also the key of the entry. */
  readonly name: string;
  readonly game: 'minecraft' | 'fivem';
  /** What it reports votes by, besides the listener: a webhook and an API at this path; null: nothing. */
  readonly reports: { readonly listingId: string; readonly path: string } | null;
  readonly windowMs: number;
}

export const DAY_MS = 24 * 3_600_000;
/** Votes cast longer before the run are not rewarded. */
export const MAX_AGE_MS = 5 * DAY_MS;
/** Votes cast before this are `before-start`. */
export const PAY_FROM_MS = 6 * DAY_MS;
/** Of players who vote again and again. Others have a day (rule 3). */
const SHORT_WINDOW_MS = 1_000;

const silent = (name: string, windowMs: number): Site => ({
  ...{ name, game: 'minecraft', reports: null, windowMs },
});

export const MINECRAFT: Site = {
  ...silent('Crash-List.com', DAY_MS),
  reports: { listingId: 'crash-listing', path: '/crash' },
};
/** Its votes name user IDs only. */
export const FIVEM: Site = {
  ...{ name: 'Crash-City', game: 'fivem', windowMs: DAY_MS },
  reports: { listingId: 'crash-city', path: '/city' },
};
/** Its votes were cast on the days whose tops end in the run. */
export const PAST: Site = {
  ...silent('Crash-Past', SHORT_WINDOW_MS),
  reports: { listingId: 'crash-past', path: '/past' },
};
/** Players of `main` and `sky` vote here again and again. */
export const TOWN = silent('Crash-Town', SHORT_WINDOW_MS);
/** The same players, and strangers. */
export const NEWS = silent('Crash-News', SHORT_WINDOW_MS);
/** Its voters are renamed, and strangers take their names. */
export const ACCOUNTS = silent('Crash-Accounts', SHORT_WINDOW_MS);
/** Those with an entry from the beginning. */
export const SITES: readonly Site[] = [MINECRAFT, FIVEM, PAST, TOWN, NEWS, ACCOUNTS];
/** They get their entries during the run. */
export const NEW_SITES = [1, 2, 3, 4, 5, 6].map((number) => silent(`Crash-New-${number}`, DAY_MS));

export interface RewardConfig {
  readonly name: string;
  readonly when: 'always' | 'online';
  readonly servers: readonly string[] | { readonly whereOnline: readonly string[] };
  readonly commands?: readonly string[];
  /** What the reward depends on, besides the site; `grant-promises.ts` says by other means when that holds. */
  readonly if?: object;
  /** Other keys. */
  readonly [key: string]: unknown;
}

const reward = (
  name: string,
  when: RewardConfig['when'],
  servers: RewardConfig['servers'],
  commands: readonly string[],
  more: object = {},
): RewardConfig => ({ name, when, servers, commands, ...more });

const said = (name: string, text: string, more: object = {}): RewardConfig =>
  reward(name, 'always', ['main'], [text], more);

/** Commands are paid as they are written here, each grant for itself. */
export const PLAIN_REWARDS: Readonly<Record<string, readonly RewardConfig[]>> = {
  [MINECRAFT.name]: [
    reward('announcement', 'always', ['main'], ['say one {player}', 'say two {player}']),
    reward('daily', 'online', ['main'], ['give {player} diamond 1', 'give {player} emerald 1']),
    said('second', 'say {player} has {votes} votes', { if: { votes: { every: 2 } } }),
    said('tenth', 'say {player} cast the {occasion}', { if: { votes: { every: 10, of: 'network' } } }),
    said('scarce', 'say {player} is one of 30', { limit: { per: 'network', count: 30, within: 'ever' } }),
    said('later', 'say later {player}', { delay: '1s' }),
  ],
  [FIVEM.name]: [
    reward('cash', 'always', ['city'], ['cash {userId} 100', 'notify {userId}']),
    reward('news', 'always', ['main', 'city'], ['say news of {userId}']),
  ],
  [PAST.name]: [said('past', 'say {player} has {votes} past votes')],
};

/** Of votes on the sites that have no entry at first. */
export const FOUND = said('found', 'say {player} found {service}');

/** Where a player is. */
export const POOL = ['main', 'sky'] as const;
const TRAVELLED = ['give {player} apple 1', 'give {player} bread 1'];
export const TRAVEL = reward('travel', 'online', { whereOnline: POOL }, TRAVELLED);
export const KIT_EXPIRES_MS = 60_000;
export const KIT = reward('kit', 'online', ['main'], ['say kit {player} {votes}'], {
  expiresAfter: `${KIT_EXPIRES_MS}ms`,
});
export const HELLO = reward('hello', 'online', ['main'], ['say hello {player} {votes}'], {
  ...{ announce: true, message: '&aThanks, {player} {votes}' },
});
export const SHOUT: RewardConfig = {
  ...{ name: 'shout', when: 'always', servers: ['main'], atMost: { count: 2, within: '3s' } },
  broadcast: '{player} {votes}: &6voted',
};
export const GIFT = reward('gift', 'online', ['realm'], ['give {player} apple 1']);

/** A file of promises of its own says what becomes of each of them. */
export const SPECIAL_REWARDS: Readonly<Record<string, readonly RewardConfig[]>> = {
  [TOWN.name]: [TRAVEL, KIT, HELLO],
  [NEWS.name]: [SHOUT],
  [ACCOUNTS.name]: [GIFT],
};

/** Everyone who cast one of so many rewarded votes for Minecraft players is paid once. */
export const PARTY = {
  ...{ name: 'party', every: 10, for: 'voters', when: 'always', servers: ['main'], announceLeft: [] },
  if: { site: [MINECRAFT.name] },
  commands: ['say {player} made {occasion}'],
};

/** Everyone who is on `sky` when it is due is paid; none of them votes for it. */
export const CROWD = {
  ...PARTY,
  ...{ name: 'crowd', for: 'online', servers: ['sky'], commands: ['say {player} was at {occasion}'] },
};

/** Teller had these tops so many days before the run, and was down since. */
export const DOWN_FOR_DAYS = 4;
/** The sites whose votes count for them. */
export const TOP_SITES: readonly string[] = [MINECRAFT.name, PAST.name];
/** The places that win something. */
export const TOP_PLACES = 3;

/** An entry of `tops`. */
export interface TopConfig {
  readonly name: string;
  readonly ties: 'first' | 'share';
  readonly settle: string;
  readonly [key: string]: unknown;
}

/** No lifetime of a run of so many kills takes longer on average. */
const MS_PER_KILL = 1_000;

/**
 * Days end at midnight, which no run can wait for. So Teller had the tops for some days and was down when these
 * ended, and `settle` ends now for the first top, and later in the run for the others.
 */
export const topsFor = (startedAt: number, kills: number): readonly TopConfig[] =>
  (['first', 'share', 'first'] as const).map((ties, at, { length }) => {
    const name = `top-${at}`;
    const settleMs = (startedAt % DAY_MS) + Math.round((at / length) * kills * MS_PER_KILL);
    return {
      ...{ name, period: 'day', ties, settle: `${settleMs}ms`, when: 'always', servers: ['main'] },
      if: { site: TOP_SITES },
      prizes: { [`1..${TOP_PLACES}`]: [`say {player} won {occasion} of ${name}`] },
    };
  });

/** From this time on, the places of a day (since 1970) may be stored. */
export const settlesAt = ({ settle }: TopConfig, day: number): number =>
  (day + 1) * DAY_MS + Number(settle.replace('ms', ''));

export const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** What it has besides the defaults of `furnish`. */
export function configFor(
  servers: Readonly<Record<string, { readonly entry: object }>>,
  apiPort: number,
  startedAt: number,
  tops: readonly TopConfig[],
): object {
  const siteOf = ({ name, game, reports, windowMs }: Site) => {
    const { path = '', listingId } = reports ?? {};
    const api = {
      ...{ baseUrl: `http://127.0.0.1:${apiPort}${path}/api/v1`, token: API_TOKEN, interval: '10s' },
      payFrom: new Date(startedAt - PAY_FROM_MS).toISOString(),
      maxAge: `${MAX_AGE_MS}ms`,
    };
    const reported = reports === null ? {} : { api, ...hooked(path, SECRET, listingId) };
    return [name, { game, cooldown: `${windowMs}ms`, ...reported }] as const;
  };
  const rewards = Object.entries({ ...PLAIN_REWARDS, ...SPECIAL_REWARDS }).flatMap(([site, own]) =>
    own.map((each) => ({ ...each, if: { site: [site], ...each.if } })),
  );
  // An `if` cannot name sites that have no entry yet.
  const found = { ...FOUND, if: { not: { site: SITES.map(({ name }) => name) } } };
  return {
    timeZone: 'UTC',
    webhook: { host: '127.0.0.1', port: 0 },
    sites: { default: { token: TOKEN }, ...Object.fromEntries(SITES.map(siteOf)) },
    gameServers: Object.fromEntries(Object.entries(servers).map(([name, { entry }]) => [name, entry])),
    rewards: [...rewards, found],
    ...{ party: [PARTY, CROWD], tops, log: { level: 'error' } },
  };
}
