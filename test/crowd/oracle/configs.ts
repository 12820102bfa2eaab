/** Random configs of crowds, as operators could write them without an error. */

import type { RawIf } from '../../rewards/oracle/written.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Features } from './histories.ts';
import type { CrowdConfig, CrowdReward, RawParty, RawTop } from './written.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];

export function randomCrowdConfig(random: Seeded, { parties, tops }: Features): CrowdConfig {
  const listed = ['A', 'B'].slice(0, 1 + random.below(2));
  return {
    timeZone: random.pick(ZONES),
    sites: {
      default: { cooldown: random.pick(['24h', '24h', 'day', '8h']) },
      ...Object.fromEntries(listed.map((name) => [name, {}])),
      Far: {},
    },
    rewards: [{ name: 'daily', commands: [] }, ...several(random, randomReward)],
    party: parties ? several(random, randomParty) : [],
    tops: tops ? several(random, randomTop) : [],
  };
}

const several = <T>(random: Seeded, one: (random: Seeded, index: number) => T): T[] =>
  Array.from({ length: 1 + random.below(2) }, (_, index) => one(random, index));

const randomReward = (random: Seeded, index: number): CrowdReward => {
  const condition = random.pick(CONDITIONS);
  const isPlain = condition.streak === undefined;
  return {
    name: `reward${index}`,
    if: condition,
    when: random.pick(['online', 'always'] as const),
    ...(isPlain && random.chance(0.3)
      ? {
          limit: {
            per: random.pick(['player', 'network'] as const),
            count: 1 + random.below(2),
            within: random.pick(['day', 'week', '24h', 'ever'] as const),
          },
        }
      : {}),
    commands: [],
  };
};

const CONDITIONS: readonly RawIf[] = [
  {},
  { votes: { every: 2 } },
  { votes: { at: [3, 5, 8] } },
  { votes: { every: 2, of: 'week' } },
  { votes: { every: 5, of: 'network' } },
  { firstVote: true },
  { firstVote: 'day' },
  { streak: 2 },
  { streak: 2 },
  { streak: 3 },
  { streak: { length: 2, repeat: true } },
  { streak: { length: 3, repeat: true, forgive: { missed: 1, in: 3 } } },
  { site: 'A' },
  { returning: '36h' },
];

function randomParty(random: Seeded, index: number): RawParty {
  const kind = random.pick(['voters', 'voters', 'online', 'online', 'once'] as const);
  return {
    name: `party${index}`,
    every: 2 + random.below(4),
    for: kind,
    ...(kind === 'online' && random.chance(0.6) ? { minOnline: 2 + random.below(2) } : {}),
    ...(kind !== 'once' && random.chance(0.3) ? { userVotes: 2 } : {}),
    ...(kind === 'once' ? {} : { when: random.pick(['online', 'always'] as const) }),
    ...(random.chance(0.5) ? { reset: random.pick(['day', 'day', 'week', 'month'] as const) } : {}),
    ...(random.chance(0.2) ? { if: { weekday: ['sat', 'sun'] } as const } : {}),
    commands: [],
  };
}

const randomTop = (random: Seeded, index: number): RawTop => ({
  name: `top${index}`,
  period: random.pick(['day', 'week', 'month'] as const),
  prizes: random.pick([{ '1': [] }, { '1': [], '2..3': [] }, { '2': [] }]),
  ties: random.pick(['first', 'share'] as const),
  ...(random.chance(0.3) ? { exclude: ['Alex'] } : {}),
  ...(random.chance(0.3) ? { settle: '5h' } : {}),
  ...(random.chance(0.2) ? { if: { site: 'A' } } : {}),
  when: random.pick(['online', 'always'] as const),
});
