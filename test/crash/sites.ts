/** The two listings on which votes are cast, and what each of their votes earns. The config and the judging share it. */
export interface Site {
  /** Its service name, and the key of its entry. */
  readonly name: string;
  readonly game: 'minecraft' | 'fivem';
  readonly listingId: string;
  /** Where its webhook is taken, and where its API has its root. */
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

export interface Promised {
  readonly name: string;
  readonly when: 'always' | 'online';
  readonly servers: readonly string[];
  readonly commands: readonly string[];
}

/** Told by what their commands name: a player cannot be paid what names a user ID, nor the other way round. */
export const REWARDS: Readonly<Record<Site['game'], readonly Promised[]>> = {
  minecraft: [
    { name: 'thanks', when: 'always', servers: ['main'], commands: ['say one {player}', 'say two {player}'] },
    {
      ...{ name: 'daily', when: 'online', servers: ['main'] },
      commands: ['give {player} diamond 1', 'give {player} emerald 1'],
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

const HOUR_MS = 3_600_000;
/** Rule 3. */
export const WINDOW_MS = 24 * HOUR_MS;
/** Votes cast longer before the run are not rewarded. */
export const MAX_AGE_MS = 5 * 24 * HOUR_MS;
/** Those cast longer before it never were anybody's. */
export const PAY_FROM_MS = 6 * 24 * HOUR_MS;
