/** Histories of crowds with results that were worked out by hand. */

import { describe, expect, test } from 'vitest';
import {
  ALEX,
  always,
  crowdCases,
  delivered,
  historyOf,
  listed,
  noon,
  OFFLINE,
  passed,
  places,
  STRANGER,
  shown,
  vote,
  votes,
} from './cases.ts';
import { recomputeCrowd } from './crowd.ts';
import type { CrowdConfig, CrowdEvent } from './written.ts';

const at = Date.parse;

/** What is seen at the end of these events, in the order of their times. */
const seen = (config: Partial<CrowdConfig>, ...events: readonly (CrowdEvent | readonly CrowdEvent[])[]) =>
  recomputeCrowd(historyOf({ sites: { default: {}, A: {} }, ...config }, ...events)).at(-1)!.after;

test.each(crowdCases)('$name', ({ history, grants }) => {
  expect(recomputeCrowd(history).at(-1)!.after.grants).toEqual(grants.toSorted());
});

describe('Alex with 20 votes and Sasha with 8', () => {
  const both = [
    ...votes('Alex', 1, 20),
    ...votes('Sasha', 1, 8, 'B'),
    shown(noon(20, 1), { Alex: ALEX }),
    shown(noon(20, 2), { Sasha: ALEX }),
  ];
  const sites = { default: {}, A: {}, B: {} };

  test('share their windows', () => {
    const next = [vote('Alex', noon(21)), vote('Sasha', noon(21, 1))];
    expect(seen({ sites }, both, next).votes.slice(-2)).toEqual(['A Alex rewarded', 'A Sasha cooldown']);
  });

  test('get what waited for either, under the name that is seen', () => {
    const rewards = [{ name: 'first', if: { firstVote: true }, commands: [] } as const];
    expect(seen({ sites, rewards }, votes('Alex', 1, 20), votes('Sasha', 1, 8, 'B')).grants).toEqual([
      'first | total 1 | waiting | ',
      'first | total 1 | waiting | ',
    ]);
    const online = [
      shown(noon(20, 1), { Kim: ALEX }),
      shown(noon(20, 2), { Alex: ALEX }),
      shown(noon(20, 3), { Sasha: ALEX }),
    ];
    expect(seen({ sites, rewards }, both.slice(0, 28), online).grants).toEqual(
      delivered('first | total 1', 'Alex', 'Sasha'),
    );
  });

  test('stay two players where UUIDs are computed from names', () => {
    const rewards = [always('milestone', { votes: { at: [21] } })];
    const offline = [shown(noon(20, 1), { Alex: OFFLINE }), shown(noon(20, 2), { Sasha: OFFLINE })];
    const next = vote('Alex', noon(21));
    expect(
      seen({ sites, rewards }, votes('Alex', 1, 20), votes('Sasha', 1, 8, 'B'), offline, next).grants,
    ).toEqual(['milestone | total 21 | delivered | Alex']);
  });

  test('of a Bedrock name and a Java name are never joined', () => {
    const bedrock = '00000000-0000-0000-0009-000000000001';
    const rewards = [always('second', { votes: { at: [2] } })];
    const shows = [
      shown(noon(1, 1), { '.Alex': bedrock }),
      shown(noon(1, 2), { Alex: bedrock }),
      shown(noon(1, 3), { '.Alex': ALEX }),
    ];
    expect(
      seen(
        { sites, rewards },
        vote('.Alex', noon(1)),
        vote('Alex', noon(1), 'B'),
        shows,
        vote('Alex', noon(2)),
      ).grants,
    ).toEqual(['second | total 2 | delivered | Alex']);
  });
});

test('two players who swap their names swap nothing else', () => {
  const swapped = [
    shown(noon(1), { Alex: ALEX, Sasha: STRANGER }),
    shown(noon(1, 1)),
    vote('Alex', noon(2)),
    vote('Sasha', noon(2, 1)),
    vote('Sasha', noon(3, 1)),
    shown(noon(4), { Alex: STRANGER, Sasha: ALEX }),
  ];
  const rewards = [{ name: 'daily', commands: [] }];
  const sent = ['say daily Alex', 'say daily Alex', 'say daily Sasha'];
  expect(seen({ rewards }, swapped).commands).toEqual(sent);
});

describe('six unlisted sites on the first day, listed one by one', () => {
  const services = ['U1', 'U2', 'U3', 'U4', 'U5', 'U6'];
  const firstDay = services.map((service, index) => vote('Alex', noon(1, index), service));
  const rewards = [
    always('daily'),
    always('count', { votes: { every: 1 } }),
    always('streak', { streak: 1 }),
  ];

  test('only the first is rewarded at once, and the others mark their day', () => {
    const { votes: decisions, grants } = seen({ rewards }, firstDay);
    expect(decisions).toEqual([
      'U1 Alex rewarded',
      ...services.slice(1).map((service) => `${service} Alex unlisted`),
    ]);
    expect(grants).toEqual([
      'count | total 1 | delivered | Alex',
      'daily |  | delivered | Alex',
      'streak | streak 1 reached 2026-11-01 | delivered | Alex',
    ]);
  });

  test('a vote of exactly 7 days ago is paid, and one that is a second older is not', () => {
    expect(seen({ rewards }, firstDay, listed('U2', noon(8, 1))).votes[1]).toBe('U2 Alex rewarded');
    expect(seen({ rewards }, firstDay, listed('U2', noon(8, 1) + 1_000)).votes[1]).toBe('U2 Alex unlisted');
  });

  test('of two votes on one service within its window, the older one is paid', () => {
    const twice = [
      vote('Alex', noon(1), 'U1'),
      vote('Alex', noon(1, 1), 'U2'),
      vote('Alex', noon(1, 2), 'U2'),
    ];
    expect(seen({ rewards }, twice, listed('U2', noon(2))).votes).toEqual([
      'U1 Alex rewarded',
      'U2 Alex rewarded',
      'U2 Alex cooldown',
    ]);
  });
});

describe('a party', () => {
  const party = { name: 'party', every: 3, commands: [], when: 'always' } as const;
  const crowd = ['Alex', 'Sasha', 'Alex'].map((name, index) => vote(name, noon(1, index), `S${index}`));
  const sites = { default: {}, S0: {}, S1: {}, S2: {}, S3: {} };

  test('for voters pays each of them once, at every third vote', () => {
    const more = ['Kim', 'Kim', 'Kim'].map((name, index) => vote(name, noon(2, index), `S${index}`));
    expect(seen({ sites, party: [party] }, crowd, more).grants).toEqual([
      ...delivered('party | party 1', 'Alex', 'Sasha'),
      'party | party 2 | delivered | Kim',
    ]);
  });

  test('leaves out those with fewer votes than userVotes', () => {
    expect(seen({ sites, party: [{ ...party, userVotes: 2 }] }, crowd).grants).toEqual([
      'party | party 1 | delivered | Alex',
    ]);
  });

  test('counts no vote within the cooldown', () => {
    const again = [
      vote('Alex', noon(1), 'S0'),
      vote('Alex', noon(1, 1), 'S0'),
      vote('Sasha', noon(1, 2), 'S0'),
    ];
    expect(seen({ sites, party: [party] }, again).grants).toEqual([]);
  });

  test('starts again with each day where it is reset', () => {
    const daily = { ...party, reset: 'day' } as const;
    const next = ['Kim', 'Kim', 'Kim'].map((name, index) => vote(name, noon(2, index), `S${index}`));
    expect(seen({ sites, party: [daily] }, crowd.slice(0, 2), next).grants).toEqual([
      'party | party 1 | delivered | Kim',
    ]);
  });

  test('for those online pays the first reading with enough players, whether they voted or not', () => {
    const online = { ...party, for: 'online', minOnline: 2 } as const;
    const one = shown(noon(1, -1), { Kim: STRANGER });
    const two = shown(noon(1, 2) + 300_000, { Kim: STRANGER, Robin: OFFLINE });
    expect(seen({ sites, party: [online] }, one, crowd, two).grants).toEqual(
      delivered('party | party 1', 'Kim', 'Robin'),
    );
  });

  test('for nobody in particular runs once', () => {
    const { grants, commands } = seen({ sites, party: [{ ...party, for: 'once' }] }, crowd);
    expect([grants, commands]).toEqual([['party | party 1 | delivered | '], ['say party']]);
  });

  test('pays a player who voted under two names once if they were joined before, and under each name otherwise', () => {
    const joined = [shown(noon(1, 1) + 1_000, { Alex: ALEX }), shown(noon(1, 1) + 2_000, { Sasha: ALEX })];
    expect(seen({ sites, party: [party] }, crowd, joined).grants).toEqual([
      'party | party 1 | delivered | Sasha',
    ]);
    const later = [shown(noon(1, 3), { Alex: ALEX }), shown(noon(1, 4), { Sasha: ALEX })];
    expect(seen({ sites, party: [party] }, crowd, later).grants).toEqual(
      delivered('party | party 1', 'Alex', 'Sasha'),
    );
  });
});

const top = { name: 'best', period: 'month', prizes: { '1': [], '2..3': [] }, when: 'always' } as const;
const month = [
  ...votes('Alex', 1, 5),
  ...votes('Sasha', 1, 3),
  ...votes('Kim', 4, 6),
  vote('Robin', noon(7)),
];
const until = (when: string): CrowdEvent => ({
  kind: 'down',
  at: at('2026-11-29T12:00Z'),
  until: at(when),
});

test('a top is frozen an hour after its period', () => {
  expect(seen({ tops: [top] }, month, passed(at('2026-12-01T00:59:59Z'))).grants).toEqual([]);
  expect(seen({ tops: [top] }, month, passed(at('2026-12-01T01:00Z'))).grants).toEqual(
    places('Alex', 'Sasha', 'Kim'),
  );
});

test('a top gives those with as many votes the same place where it is shared, and leaves out the next', () => {
  const shared = { ...top, ties: 'share' } as const;
  expect(seen({ tops: [shared] }, month, until('2026-12-02T12:00Z')).grants).toEqual([
    'best | top 2026-11 place 1 | delivered | Alex',
    'best | top 2026-11 place 2 | delivered | Kim',
    'best | top 2026-11 place 2 | delivered | Sasha',
  ]);
});

test('a top passes over who is excluded', () => {
  const without = { ...top, exclude: ['alex'] };
  expect(seen({ tops: [without] }, month, until('2026-12-02T12:00Z')).grants).toEqual(
    places('Sasha', 'Kim', 'Robin'),
  );
});

test('a top of each day that ended while Teller was down is paid', () => {
  const daily = { ...top, period: 'day', prizes: { '1': [] } } as const;
  const events = [vote('Alex', noon(1)), vote('Sasha', noon(2))];
  const down: CrowdEvent = { kind: 'down', at: noon(2, 1), until: noon(5) };
  expect(seen({ tops: [daily] }, events, down).grants).toEqual([
    'best | top 2026-11-01 place 1 | delivered | Alex',
    'best | top 2026-11-02 place 1 | delivered | Sasha',
  ]);
});

test('a top counts a vote of an unlisted service for its own day only if it is listed before the top is frozen', () => {
  const tops = [{ ...top, period: 'day', prizes: { '1': [] } } as const];
  const sasha = ['U1', 'U2', 'A'].map((service, index) => vote('Sasha', noon(1, 2 * index), service));
  const alex = ['A', 'U1'].map((service, index) => vote('Alex', noon(1, 1 + 2 * index), service));
  const winner = (listedAt: number) =>
    seen({ tops }, sasha, alex, { kind: 'listed', at: listedAt, service: 'U2' }, passed(noon(3))).grants;
  // Sasha's third vote is not counted until then, and Alex had two before Sasha.
  expect(winner(noon(1, 5))).toEqual(['best | top 2026-11-01 place 1 | delivered | Sasha']);
  expect(winner(at('2026-11-02T01:00:01Z'))).toEqual(['best | top 2026-11-01 place 1 | delivered | Alex']);
});
