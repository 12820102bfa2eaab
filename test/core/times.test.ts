import { expect, test } from 'vitest';
import { DAY, HOUR, ledgers, MINUTE, NOON, reward } from '../kit/ledgers.ts';

const THANKS = { rewards: [reward('thanks')] };
const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString();

test.each([
  ['UTC', '2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z'],
  ['UTC', '2026-06-01T23:59:59.999Z', '2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z'],
  // 23 hours on 29 March, 25 hours on 25 October.
  ['Europe/Berlin', '2026-03-29T12:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T12:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['America/New_York', '2026-03-08T12:00:00.000Z', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
  ['America/New_York', '2026-11-01T12:00:00.000Z', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  // 23:00 comes twice on 4 April; the day has 25 hours.
  ['America/Santiago', '2026-04-05T03:30:00.000Z', '2026-04-04T03:00:00.000Z', '2026-04-05T04:00:00.000Z'],
  // The clock skips midnight on 6 September, so the day begins at 01:00.
  ['America/Santiago', '2026-09-06T12:00:00.000Z', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
  ['America/New_York', '2028-02-29T12:00:00.000Z', '2028-02-29T05:00:00.000Z', '2028-03-01T05:00:00.000Z'],
  // The island skipped 30 December.
  ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
  ['04:00 New_York', '2026-06-01T07:59:59.999Z', '2026-05-31T08:00:00.000Z', '2026-06-01T08:00:00.000Z'],
  ['04:00 New_York', '2026-06-01T08:00:00.000Z', '2026-06-01T08:00:00.000Z', '2026-06-02T08:00:00.000Z'],
  // On the day the clock is set forward, 04:00 comes an hour earlier.
  ['04:00 New_York', '2026-03-08T08:00:00.000Z', '2026-03-08T08:00:00.000Z', '2026-03-09T08:00:00.000Z'],
  ['04:00 New_York', '2026-03-08T07:59:59.999Z', '2026-03-07T09:00:00.000Z', '2026-03-08T08:00:00.000Z'],
  // 02:30 does not exist in Berlin on 29 March; 03:00 there is 01:00 UTC. On 25 October it comes twice.
  ['02:30 Berlin', '2026-03-29T12:00:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
  ['02:30 Berlin', '2026-10-25T12:00:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
])(
  'the window of a calendar day in %s, of a vote at %s, lasts from %s until %s',
  async (day, castAt, start, end) => {
    const [, time = '00:00', city] = /^(?:(\d\d:\d\d) (\w+))?/.exec(day) ?? [];
    const timeZone = { New_York: 'America/New_York', Berlin: 'Europe/Berlin' }[city ?? ''] ?? day;
    const ledger = await ledgers({ ...THANKS, timeZone, sites: { List: { cooldown: `day ${time}` } } });
    await ledger.vote({ at: at(castAt) });
    expect(
      (await ledger.votes()).map(({ window }) => window && [iso(window.start), iso(window.end)]),
    ).toEqual([[start, end]]);
  },
);

const [BACKUP, RESTORED] = [at('2026-06-01T00:00:00Z'), at('2026-06-02T00:00:00Z')];
const LATER = at('2026-07-01T00:00:00Z');
const HELD = ['Steve thanks: held restore-doubt'];
const PENDING = ['Steve thanks: pending'];

const owedFor = async (cast: object, restores = 1) => {
  const ledger = await ledgers(THANKS);
  if (restores > 0) await ledger.restored(BACKUP, RESTORED);
  await ledger.vote(cast);
  return ledger.owed();
};

test.each([
  ['2026-03-02T23:59:59.999Z', PENDING],
  ['2026-03-03T00:00:00.000Z', HELD],
  ['2026-06-01T12:00:00.000Z', HELD],
  ['2026-06-01T23:59:59.999Z', HELD],
  ['2026-06-02T00:00:00.000Z', PENDING],
])(
  'rule 1: after a restore, a vote cast at %s may have been paid by the lost ledger: %j',
  async (castAt, owed) => {
    expect(await owedFor({ at: at(castAt), received: LATER })).toEqual(owed);
  },
);

test.each([
  ['2026-05-31T23:49:59.999Z', PENDING],
  ['2026-05-31T23:50:00.000Z', HELD],
  ['2026-06-02T00:09:59.999Z', HELD],
  ['2026-06-02T00:10:00.000Z', PENDING],
])(
  'rule 1: after a restore, a v1 block that is dated by its receipt and claims %s may replay a paid vote: %j',
  async (iso, owed) => {
    const replayed = { at: LATER, claim: at(iso) };
    expect(await owedFor({ ...replayed, block: 1 })).toEqual(owed);
    expect(await owedFor(replayed)).toEqual(PENDING);
  },
);

test('rule 1: after a restore, a v1 block without a claimed time is judged by its cast time, and without a restore nothing is in doubt', async () => {
  expect(await owedFor({ at: LATER, block: 1 })).toEqual(PENDING);
  expect(await owedFor({ at: at('2026-06-01T12:00:00Z') }, 0)).toEqual(PENDING);
});

const TEN_MINUTES = 10 * MINUTE;
const reading = (wall: number, monotonic = 0) => ({ at: wall, reading: { wall, monotonic } });

/** Why it is doubted when it shows this, ten minutes at most after it showed noon. @param isRestarted by another process. */
async function doubtAt(wall: number, isRestarted: boolean) {
  const ledger = await ledgers(THANKS);
  await ledger.vote(reading(NOON));
  const later = isRestarted ? await ledger.another() : ledger;
  await later.vote({ player: 'Alex', ...reading(wall) });
  return (await later.clock()).doubt?.reason ?? null;
}

test.each([
  ['a jump of just 10 minutes forward', NOON + TEN_MINUTES, false, null],
  ['more than 10 minutes forward', NOON + TEN_MINUTES + 1, false, 'jumped'],
  ['a jump of just 10 minutes back', NOON - TEN_MINUTES, false, null],
  ['more than 10 minutes back', NOON - TEN_MINUTES - 1, false, 'jumped'],
  ['10 minutes behind the newest receipt after a restart', NOON - TEN_MINUTES, true, null],
  ['more than that', NOON - TEN_MINUTES - 1, true, 'behind'],
  ['a year later after a restart', NOON + 365 * DAY, true, null],
  ['1970', 0, true, 'not-set'],
] as const)('rule 4: the clock of the machine %s is recognized', async (_, wall, isRestarted, reason) => {
  expect(await doubtAt(wall, isRestarted)).toBe(reason);
});

const FROM_NOON = { pay: { from: '2026-06-01T12:00:00Z' } };
const paysElsewhere = async (cast: object, more: object = FROM_NOON) => {
  const ledger = await ledgers({ ...THANKS, ...more });
  await ledger.vote(cast);
  return (await ledger.votes())[0]?.isPaidElsewhere;
};

test('what another listener pays until the hand-over at noon is nothing by default, and in shadow everything', async () => {
  expect(await paysElsewhere({ at: 0, received: 0 }, {})).toBe(false);
  expect(await paysElsewhere({}, { pay: { mode: 'shadow' } })).toBe(true);
  expect(await paysElsewhere({}, { pay: { mode: 'shadow', from: '2026-01-01T00:00:00Z' } })).toBe(true);
});

test.each(['listener-v1', 'listener-v2'] as const)(
  'what another listener pays until the hand-over at noon by %s, depends on the time of receipt alone',
  async (via) => {
    expect(await paysElsewhere({ via, received: NOON - 1, at: NOON - 1 })).toBe(true);
    expect(await paysElsewhere({ via, received: NOON, at: NOON - HOUR })).toBe(false);
  },
);

test.each(['api', 'webhook', 'operator'] as const)(
  'what another listener pays until the hand-over at noon by %s, depends on both of its times',
  async (via) => {
    expect(await paysElsewhere({ via, event: 'e', received: NOON + 500, at: NOON - 1 })).toBe(true);
    expect(await paysElsewhere({ via, event: 'e', received: NOON + 500, at: NOON })).toBe(false);
    expect(await paysElsewhere({ via, event: 'e', received: NOON - 1, at: NOON })).toBe(true);
  },
);

/** After how many hours it has expired, if these pauses are made: `all 2 to 12, main 4 to 8`, in hours. */
async function expiresAfter(pauses: string): Promise<number | null> {
  const ledger = await ledgers({ rewards: [reward('daily', { expiresAfter: '24h' })] });
  const steps = [...pauses.matchAll(/(all|main) (-?\d+) to (-?\d+)/g)].flatMap(([, of, from, to]) => {
    const scope = { server: of === 'main' ? of : null, reward: null };
    return [
      { hour: Number(from), take: () => ledger.pause(scope, 'ann', NOON + Number(from) * HOUR) },
      { hour: Number(to), take: () => ledger.resume(scope, NOON + Number(to) * HOUR) },
    ];
  });
  const made = { hour: 0, take: () => ledger.vote({}) };
  const inOrder = [...steps, made].sort((a, b) => a.hour - b.hour);
  for (let hour = -9; hour < 100; hour++) {
    while (inOrder[0]?.hour === hour) await inOrder.shift()?.take();
    if ((await ledger.applyTerms(NOON + hour * HOUR)).expired > 0) return hour;
  }
  return null;
}

test.each([
  ['24 hours later without a pause', '', 24],
  ['10 hours later still after a pause of 10 hours', 'all 2 to 12', 34],
  ['only the later by what is left of a pause that began before it was made', 'all -5 to 3', 27],
  ['no later because of a pause that ended before it was made', 'all -5 to -1', 24],
  ['no later because of a pause that began when it had expired', 'all 24 to 30', 24],
  ['no later by the time that two pauses share', 'all 2 to 12, main 4 to 8', 34],
  ['later by both of two pauses', 'all 2 to 12, main 20 to 25', 39],
  ['no later by a pause that came after that', 'all 2 to 12, all 34 to 40', 34],
])('a grant that may wait for 24 hours expires %s: %s', async (_, pauses, hours) => {
  expect(await expiresAfter(pauses)).toBe(hours);
});
