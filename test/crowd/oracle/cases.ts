/** Histories whose results were worked out by hand, for the recomputation and for a running Teller. */

import type { CrowdConfig, CrowdEvent, CrowdHistory, CrowdReward, Shown } from './written.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
/** A game server in offline mode computes such a UUID from a name. */
const NO_ACCOUNT = 'cccccccc-cccc-3ccc-8ccc-cccccccccccc';

/** At noon in UTC on the days of November 2026, and this many hours later. */
const noon = (day: number, hours = 0): number => Date.UTC(2026, 10, day, 12) + hours * 3_600_000;

const vote = (player: string, at: number, service = 'A'): CrowdEvent => ({
  kind: 'vote',
  at,
  service,
  player,
});
/** One vote at noon of each of these days. */
const votes = (player: string, from: number, to: number, service = 'A'): CrowdEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => vote(player, noon(from + index), service));
const shown = (at: number, players: Readonly<Record<string, string>> = {}): CrowdEvent => ({
  kind: 'shown',
  at,
  players: Object.entries(players).map(([name, uuid]): Shown => ({ name, uuid })),
});
const passed = (at: number): CrowdEvent => ({ kind: 'passed', at });
const listed = (service: string, at: number): CrowdEvent => ({ kind: 'listed', at, service });
const merged = (name: string, into: string, at: number): CrowdEvent => ({ kind: 'merged', at, name, into });
const voided = (number: number, at: number): CrowdEvent => ({ kind: 'void', at, vote: number });
const down = (at: number, until: number): CrowdEvent => ({ kind: 'down', at, until });

const always = (name: string, condition: CrowdReward['if'] = {}): CrowdReward => ({
  name,
  when: 'always',
  if: condition,
  commands: [],
});

type Events = readonly (CrowdEvent | readonly CrowdEvent[])[];

/** These events in the order of their times, from the last day of October on. */
function historyOf(config: Partial<CrowdConfig>, ...events: Events): CrowdHistory {
  const sites = { default: {}, A: {}, B: {} };
  return {
    startedAt: noon(0, -18),
    config: { timeZone: 'UTC', sites, rewards: [], party: [], tops: [], ...config },
    events: events.flat().sort((one, other) => one.at - other.at),
  };
}

export interface CrowdCase {
  readonly name: string;
  readonly history: CrowdHistory;
  /** At its end: `reward | occasion | state | name`. */
  readonly grants: readonly string[];
}

/** The vote of someone who is never on the game server, so that Teller asks it again and again who is. */
const waits = vote('Nobody', noon(0, -17), 'Far');

/** Alex is seen with their UUID, and leaves. */
const known = [waits, shown(noon(1, -2), { Alex: ALEX }), shown(noon(1, -1))];
/** Alex votes twice, and a stranger comes under their name and votes. */
const replaced = [
  ...known,
  ...votes('Alex', 1, 2),
  shown(noon(3), { Alex: STRANGER }),
  vote('Alex', noon(3, 1)),
];

/** What every vote is granted, as soon as its player is on the game server. */
const DAILY: CrowdReward = { name: 'daily', commands: [] };
const NOT_NOBODY = { not: { site: 'Far' } } as const;
const FAR = { default: {}, A: {}, B: {}, Far: {} };

/** What is paid for one occasion, `reward | occasion`, to each of these players. */
const delivered = (what: string, ...players: readonly string[]): string[] =>
  players.map((player) => `${what} | delivered | ${player}`);
/** The first places of the top of November. */
const places = (...players: readonly string[]): string[] =>
  players.map((player, index) => `best | top 2026-11 place ${index + 1} | delivered | ${player}`);
const daily = (count: number, state: string): string[] =>
  Array.from({ length: count }, () => `daily |  | ${state}`);

const UNLISTED = ['U1', 'U2', 'U3', 'U4', 'U5', 'U6'];
const MONTH = [...votes('Alex', 1, 5), ...votes('Sasha', 1, 3, 'B'), ...votes('Kim', 4, 6, 'B')];

export const crowdCases: readonly CrowdCase[] = [
  {
    name: 'Alex with 20 votes and Sasha with 8 are joined: 25 is passed and not paid, and the second vote from then on is the 30th',
    history: historyOf(
      { sites: FAR, rewards: [DAILY, always('milestone', { votes: { at: [25, 30] }, ...NOT_NOBODY })] },
      waits,
      votes('Alex', 1, 20),
      votes('Sasha', 1, 8, 'B'),
      shown(noon(20, 1), { Alex: ALEX }),
      shown(noon(20, 2), { Sasha: ALEX }),
      vote('Alex', noon(21)),
      vote('Sasha', noon(21, 1), 'B'),
    ),
    grants: [
      ...daily(20, 'delivered | Alex'),
      ...daily(10, 'delivered | Sasha'),
      ...daily(1, 'waiting | '),
      'milestone | total 30 | delivered | Sasha',
    ],
  },
  {
    name: 'a streak of 7 that only both names together reach is passed, and so is the first multiple; the next one is paid',
    history: historyOf(
      {
        sites: FAR,
        rewards: [
          DAILY,
          always('week', { streak: 7 }),
          always('repeated', { streak: { length: 3, repeat: true } }),
        ],
      },
      waits,
      votes('Alex', 2, 3),
      votes('Sasha', 4, 8),
      shown(noon(8, 1), { Alex: ALEX }),
      shown(noon(8, 2), { Sasha: ALEX }),
      vote('Sasha', noon(9)),
      vote('Sasha', noon(10)),
    ),
    grants: [
      ...daily(2, 'delivered | Alex'),
      ...daily(7, 'delivered | Sasha'),
      ...daily(1, 'waiting | '),
      // Sasha's own; together the run has 6 by the 7th, and 9 on the 10th.
      'repeated | streak 3 reached 2026-11-06 | delivered | Sasha',
      'repeated | streak 9 reached 2026-11-10 | delivered | Sasha',
    ],
  },
  {
    name: 'a stranger is on the freed name first and Sasha later, who gets what waited for Alex and goes on with the third vote',
    history: historyOf(
      { sites: FAR, rewards: [DAILY, always('count', { votes: { at: [2, 3] }, ...NOT_NOBODY })] },
      replaced,
      shown(noon(4), { Alex: STRANGER, Sasha: ALEX }),
      vote('Sasha', noon(5)),
    ),
    grants: [
      'count | total 2 | delivered | Alex',
      'count | total 3 | delivered | Sasha',
      'daily |  | delivered | Alex',
      ...daily(3, 'delivered | Sasha'),
      ...daily(1, 'waiting | '),
    ],
  },
  {
    name: 'of six unlisted sites on the first day, each is paid once it is listed, one by one within 7 days',
    history: historyOf(
      { rewards: [always('count', { votes: { every: 1 } }), always('first', { firstVote: 'day' })] },
      UNLISTED.map((service, index) => vote('Alex', noon(1, index), service)),
      UNLISTED.map((service, index) => listed(service, noon(2 + index, 1))),
    ),
    grants: [
      ...[1, 2, 3, 4, 5, 6].map((total) => `count | total ${total} | delivered | Alex`),
      'first | day 2026-11-01 total 1 | delivered | Alex',
    ],
  },
  {
    name: 'a party for those online with no player online is paid to the voters',
    history: historyOf(
      {
        sites: FAR,
        rewards: [DAILY],
        party: [{ name: 'party', every: 4, for: 'online', when: 'always', commands: [] }],
      },
      waits,
      vote('Alex', noon(1)),
      vote('Sasha', noon(1, 1)),
      vote('Alex', noon(1, 2), 'B'),
      passed(noon(1, 3)),
      shown(noon(1, 4), { Kim: STRANGER }),
    ),
    grants: [...daily(4, 'waiting | '), ...delivered('party | party 1', 'Alex', 'Nobody', 'Sasha')],
  },
  {
    name: 'a party for those online knows a renamed player from the stranger on their old name, in one reading',
    history: historyOf(
      {
        sites: FAR,
        rewards: [DAILY],
        party: [{ name: 'party', every: 2, for: 'online', minOnline: 2, when: 'always', commands: [] }],
      },
      known,
      vote('Kim', noon(1)),
      shown(noon(1) + 300_000, { Toni: ALEX, Alex: STRANGER }),
    ),
    grants: [...daily(2, 'waiting | '), ...delivered('party | party 1', 'Alex', 'Toni')],
  },
  {
    name: 'a party for nobody in particular is paid, although the name of the player whose vote made it is a stranger’s now',
    history: historyOf(
      {
        sites: FAR,
        rewards: [DAILY],
        party: [{ name: 'party', every: 3, for: 'once', commands: [] }],
      },
      known,
      vote('Alex', noon(1), 'U1'),
      vote('Alex', noon(1, 1), 'U2'),
      shown(noon(2), { Alex: STRANGER }),
      listed('U2', noon(2, 1)),
    ),
    grants: [...daily(2, 'held | '), ...daily(1, 'waiting | '), 'party | party 1 | delivered | '],
  },
  {
    name: 'a voided vote is missing in the next party and in the top, and not in the party that was reached with it',
    history: historyOf(
      {
        party: [{ name: 'party', every: 2, when: 'always', commands: [] }],
        tops: [{ name: 'best', period: 'month', prizes: { '1': [] }, when: 'always' }],
      },
      votes('Alex', 1, 3),
      voided(0, noon(3, 1)),
      voided(2, noon(3, 2)),
      votes('Sasha', 4, 5, 'B'),
      passed(noon(32)),
    ),
    grants: [
      'best | top 2026-11 place 1 | delivered | Sasha',
      'party | party 1 | delivered | Alex',
      'party | party 2 | delivered | Sasha',
    ],
  },
  {
    name: 'a voter whose vote is voided after it reached a party and before anyone is paid gets nothing',
    history: historyOf(
      { party: [{ name: 'party', every: 2, for: 'online', when: 'always', commands: [] }] },
      [vote('Alex', noon(1)), vote('Sasha', noon(1), 'B')],
      voided(1, noon(1) + 300_000),
      passed(noon(1, 1)),
    ),
    grants: delivered('party | party 1', 'Alex'),
  },
  {
    name: 'a player who is there under two names gets what waited under the one that came first, and the rest under the one they have',
    history: historyOf(
      { sites: FAR, rewards: [DAILY] },
      waits,
      [vote('Alex', noon(1)), vote('Sasha', noon(1), 'B')],
      merged('Sasha', 'Alex', noon(1, 1)),
      shown(noon(1, 2), { Sasha: NO_ACCOUNT, Alex: NO_ACCOUNT }),
      vote('Sasha', noon(3)),
    ),
    grants: [...daily(1, 'waiting | '), ...daily(2, 'delivered | Sasha'), ...daily(1, 'delivered | Alex')],
  },
  {
    name: 'a name that the operator joins to a player is paid under the name of that player, as it was spelt',
    history: historyOf(
      { rewards: [always('count', { votes: { at: [3, 4] } })] },
      votes('Robin', 1, 2),
      vote('Lee', noon(2, 1), 'B'),
      merged('Lee', 'Robin', noon(2, 2)),
      vote('Lee', noon(3)),
    ),
    grants: ['count | total 4 | delivered | Robin'],
  },
  {
    name: 'a top with Teller down for three days over the end of the month is paid once',
    history: historyOf(
      { tops: [{ name: 'best', period: 'month', prizes: { '1': [], '2..3': [] }, when: 'always' }] },
      MONTH,
      down(noon(29), noon(32)),
      vote('Kim', noon(32, 1), 'B'),
      passed(noon(35)),
    ),
    grants: places('Alex', 'Sasha', 'Kim'),
  },
  {
    name: 'two players who swap their names swap nothing else',
    history: historyOf(
      { sites: FAR, rewards: [DAILY] },
      waits,
      shown(noon(1), { Alex: ALEX, Sasha: STRANGER }),
      shown(noon(1, 1)),
      vote('Alex', noon(2)),
      vote('Sasha', noon(2, 1)),
      vote('Sasha', noon(3, 1)),
      shown(noon(4), { Alex: STRANGER, Sasha: ALEX }),
    ),
    grants: [...daily(2, 'delivered | Alex'), ...daily(1, 'delivered | Sasha'), ...daily(1, 'waiting | ')],
  },
  {
    name: 'a party that is reset each day starts again with each day',
    history: historyOf(
      { party: [{ name: 'party', every: 2, reset: 'day', when: 'always', commands: [] }] },
      vote('Alex', noon(1)),
      [vote('Kim', noon(2)), vote('Kim', noon(2, 1), 'B')],
    ),
    grants: delivered('party | party 1', 'Kim'),
  },
  ...[
    { when: 'before the top is frozen', winner: 'Sasha', at: noon(1, 5) },
    { when: 'only after the top is frozen', winner: 'Alex', at: noon(1, 13) + 1_000 },
  ].map(({ when, winner, at }) => ({
    name: `a top of the day, with a vote of an unlisted service that is listed ${when}`,
    history: historyOf(
      { tops: [{ name: 'best', period: 'day', prizes: { '1': [] }, when: 'always' }] },
      ['U1', 'U2', 'A'].map((service, index) => vote('Sasha', noon(1, 2 * index), service)),
      // Alex has two votes before Sasha has them, unless Sasha’s on U2 is counted.
      ['A', 'U1'].map((service, index) => vote('Alex', noon(1, 1 + 2 * index), service)),
      listed('U2', at),
      passed(noon(3)),
    ),
    grants: delivered('best | top 2026-11-01 place 1', winner),
  })),
];
