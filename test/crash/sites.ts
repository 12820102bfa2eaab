/** A listing on which votes are cast. The config and the checks share these. */
export interface Site {
  /** The service name, which is also the key of the entry. */
  readonly name: string;
  readonly game: 'minecraft' | 'fivem';
  readonly listingId: string;
  /** The path of the webhook, and of the root of the API. */
  readonly path: string;
}

export const MINECRAFT: Site = {
  name: 'Crash-List.com',
  game: 'minecraft',
  listingId: 'crash-listing',
  path: '/crash',
};
/** Its votes name user IDs only. */
export const FIVEM: Site = { name: 'Crash-City', game: 'fivem', listingId: 'crash-city', path: '/city' };
export const SITES = [MINECRAFT, FIVEM] as const;

export const TOKEN = 'crash-token-of-thirty-two-characters';
export const WEBHOOK_SECRET = 'whsec_crash';

export interface RewardConfig {
  readonly name: string;
  /** What the reward depends on, besides the game; `grant-promises.ts` says by other means when that holds. */
  readonly if?: object;
  readonly limit?: object;
  readonly delay?: string;
  readonly when: 'always' | 'online';
  readonly servers: readonly string[];
  readonly commands: readonly string[];
}

/** Each reward is for one game, which the placeholder in its commands decides: a player or a user ID. */
export const REWARDS: Readonly<Record<Site['game'], readonly RewardConfig[]>> = {
  minecraft: [
    {
      name: 'announcement',
      when: 'always',
      servers: ['main'],
      commands: ['say one {player}', 'say two {player}'],
    },
    {
      ...{ name: 'daily', when: 'online', servers: ['main'] },
      commands: ['give {player} diamond 1', 'give {player} emerald 1'],
    },
    {
      ...{ name: 'second', when: 'always', servers: ['main'] },
      if: { votes: { every: 2 } },
      commands: ['say {player} has {votes} votes'],
    },
    {
      ...{ name: 'tenth', when: 'always', servers: ['main'] },
      if: { votes: { every: 10, of: 'network' } },
      commands: ['say {player} cast the {occasion}'],
    },
    {
      ...{ name: 'scarce', when: 'always', servers: ['main'] },
      limit: { per: 'network', count: 30, within: 'ever' },
      commands: ['say {player} is one of 30'],
    },
    {
      ...{ name: 'later', when: 'always', servers: ['main'] },
      delay: '1s',
      commands: ['say later {player}'],
    },
  ],
  fivem: [
    {
      ...{ name: 'cash', when: 'always', servers: ['city'] },
      commands: ['cash {userId} 100', 'notify {userId}'],
    },
    { name: 'news', when: 'always', servers: ['main', 'city'], commands: ['say news of {userId}'] },
  ],
};

/** Everyone who cast one of so many rewarded votes for Minecraft players is paid once. */
export const PARTY = {
  ...{ name: 'party', every: 10, for: 'voters', when: 'always', servers: ['main'], announceLeft: [] },
  if: { site: [MINECRAFT.name] },
  commands: ['say {player} made {occasion}'],
};

const HOUR_MS = 3_600_000;
/** Rule 3. */
export const WINDOW_MS = 24 * HOUR_MS;
/** Votes cast longer before the run are not rewarded. */
export const MAX_AGE_MS = 5 * 24 * HOUR_MS;
/** Votes cast before this are `before-start`. */
export const PAY_FROM_MS = 6 * 24 * HOUR_MS;
