import { describe, expect, test } from 'vitest';
import { Secret, type SiteConfig } from '../../src/config/config.ts';
import { withinNetworks } from '../../src/core/address.ts';
import { Problem } from '../../src/core/problem.ts';
import type { Recorded, VoteLedger } from '../../src/ledger/ledger.ts';
import { told } from '../../src/ledger/told.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { decide } from '../../src/rewards/decide.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { NO_HISTORY } from '../../src/rewards/history.ts';
import { Intake, type IntakeParts } from '../../src/votes/intake/intake.ts';
import { entryToAdd } from '../../src/votes/intake/sites.ts';
import type { VoteReport } from '../../src/votes/intake/vote-report.ts';
import type { ReceivedVote } from '../../src/votes/listener/vote-intake.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { rulesFor } from '../support/ledgers.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { siteConfig } from '../support/site-config.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

const site = (token: string | null, ms = 24 * HOUR): SiteConfig =>
  siteConfig({ token: token === null ? null : new Secret(token), cooldown: { kind: 'span', ms } });

const SITES = new Map([
  ['default', site('default-token')],
  ['My-List.com', site('own-token', 12 * HOUR)],
]);

/** An intake in front of a ledger that keeps the arrivals, or fails with `problem`. */
function intakeWith({
  sites = SITES,
  problem = null as Error | null,
  followers = {} as IntakeParts['onRecorded'],
} = {}) {
  const arrivals: Arrival[] = [];
  const recordedVotes: Recorded[] = [];
  const [unable, lost]: [string[], string[]] = [[], []];
  const ledger: VoteLedger = {
    record: async (arrival) => {
      if (problem !== null) throw problem;
      const id = arrivals.push(arrival);
      return { kind: 'new', id, decision: told(decide(arrival, [], NO_HISTORY)) };
    },
    countRefusals: async () => {},
  };
  const clock = new FakeClock(NOON);
  const kept = loggedLines();
  const intake = new Intake({
    sites,
    bedrockPrefixes: ['.', '*'],
    draw: () => ALL_WON,
    rules: rulesFor(),
    ledger,
    clock,
    log: kept.log,
    onRecorded: { test: (_, recorded) => recordedVotes.push(recorded), ...followers },
    onUnable: (vote, error) => {
      const code = error instanceof Problem ? error.code : String(error);
      unable.push(`${code} ${vote.recipient.key}`);
    },
    onLost: (vote) => lost.push(vote.recipient.key),
  });
  return { intake, arrivals, recordedVotes, unable, lost, clock, ...kept };
}

const received = (
  wire: Partial<ReceivedVote['wire']> = {},
  more: Partial<ReceivedVote> = {},
): ReceivedVote => ({
  channel: 'listener-v2',
  wire: { ...WIRE_VOTE, timestamp: String(NOON), ...wire },
  text: '{}',
  address: '192.0.2.7',
  receivedAt: NOON,
  blockDigest: null,
  ...more,
});

/** The arrival that the ledger gets for a vote. */
async function arrivalOf(...given: Parameters<typeof received>): Promise<Arrival> {
  const { intake, arrivals } = intakeWith();
  expect(await intake.accept(received(...given))).toBeNull();
  return arrivals[0]!;
}

describe('the site of a vote', () => {
  test('is the entry with exactly its service name, with that entry’s cooldown', async () => {
    const { vote, cooldown } = await arrivalOf({ serviceName: 'My-List.com' });
    expect([vote.site, vote.service, cooldown]).toEqual([
      'My-List.com',
      'My-List.com',
      { kind: 'span', ms: 12 * HOUR },
    ]);
  });

  test.each(['my-list.com', 'My-List. com', 'My-List.co', '', 'Other', '__proto__', 'constructor'])(
    'is default for %j, and the service name stays as received',
    async (serviceName) => {
      const { vote, cooldown } = await arrivalOf({ serviceName });
      expect([vote.site, vote.service, cooldown]).toEqual([
        'default',
        serviceName,
        { kind: 'span', ms: 24 * HOUR },
      ]);
    },
  );

  test('determines the token: its own, otherwise the token of default, otherwise none', () => {
    const { intake } = intakeWith();
    expect(intake.tokenOf('My-List.com')).toBe('own-token');
    expect(intake.tokenOf('my-list.com')).toBe('default-token');
    expect(intake.tokenOf('__proto__')).toBe('default-token');
    const bare = intakeWith({
      sites: new Map([
        ['default', site(null)],
        ['Own', site('own-token')],
      ]),
    }).intake;
    expect([bare.tokenOf('Own'), bare.tokenOf('Other')]).toEqual(['own-token', null]);
  });
});

describe('a service name', () => {
  test('of 129 characters is refused before anything is stored', async () => {
    const { intake, arrivals } = intakeWith();
    expect(await intake.accept(received({ serviceName: 'x'.repeat(129) }))).toBe('service-not-allowed');
    expect(arrivals).toEqual([]);
  });

  test.each([
    'x'.repeat(128),
    'Überliste 名',
    '"; DROP TABLE votes; --',
    'a\nb',
    'a\0b',
    'a\u202eb',
    'a\u200bb',
  ])('may be %j', async (serviceName) => {
    expect((await arrivalOf({ serviceName })).vote.service).toBe(serviceName);
  });

  test('has U+FFFD in place of half a surrogate pair, which is also what the ledger stores', async () => {
    expect((await arrivalOf({ serviceName: 'a\ud800b' })).vote.service).toBe('a\ufffdb');
  });
});

describe('a player name (rule 8)', () => {
  test.each(['Steve', 'a', '_', 'A123456789012345', '.Steve', '*Steve', '.A12345678901234'])(
    'may be %j, and is compared in lower case',
    async (username) => {
      const { recipient } = (await arrivalOf({ username })).vote;
      expect(recipient).toEqual({ kind: 'player', key: username.toLowerCase(), player: username });
    },
  );

  test.each([
    ['A1234567890123456', 'name-too-long'],
    ['.A123456789012345', 'name-not-allowed'],
    ['', 'name-not-allowed'],
    ['.', 'name-not-allowed'],
    ['!Steve', 'name-unknown-prefix'],
    ['..Steve', 'name-unknown-prefix'],
    ['@a', 'name-not-allowed'],
    ['@e[type=!player]', 'name-not-allowed'],
    ['x  64', 'name-not-allowed'],
    ['Ste\nve', 'name-not-allowed'],
    ['\n', 'name-not-allowed'],
    ['Steve\nop evil', 'name-not-allowed'],
    ['Steve"', 'name-not-allowed'],
    ['Ste\u0301ve', 'name-not-allowed'],
    ['Ｓteve', 'name-not-allowed'],
  ])('%j is refused as %s before anything is stored', async (username, code) => {
    const { intake, arrivals } = intakeWith();
    const long = username.length > 16 ? 'name-too-long' : code;
    expect(await intake.accept(received({ username }))).toBe(long);
    expect(arrivals).toEqual([]);
  });
});

describe('the cast time (rule 4)', () => {
  test.each([
    ['2026-06-01T11:50:00.000Z', 'exactly ten minutes before receipt', '2026-06-01T11:50:00.000Z'],
    ['2026-06-01T12:10:00.000Z', 'exactly ten minutes after', '2026-06-01T12:10:00.000Z'],
    ['2026-06-01T11:49:59.999Z', 'a millisecond more before', '2026-06-01T12:00:00.000Z'],
    ['2026-06-01T12:10:00.001Z', 'a millisecond more after', '2026-06-01T12:00:00.000Z'],
    ['2020-01-01T00:00:00.000Z', 'years before', '2026-06-01T12:00:00.000Z'],
  ])('is, for a claim of %s (%s), %s', async (claim, _, castAt) => {
    const { vote } = await arrivalOf({ timestamp: String(Date.parse(claim)) });
    expect(new Date(vote.castAt).toISOString()).toBe(castAt);
    expect(vote.claim?.at).toBe(Date.parse(claim));
    expect(vote.receivedAt).toBe(NOON);
  });

  test('is also read from a claim in seconds', async () => {
    const { vote } = await arrivalOf({ timestamp: String(NOON / 1000 - 60) });
    expect([vote.castAt, vote.claim]).toEqual([NOON - 60_000, { at: NOON - 60_000, precision: 's' }]);
  });

  test.each(['', 'just now', '0', '-1', '1e12', '99999999999999'])(
    'is the receipt for %j',
    async (timestamp) => {
      const { vote } = await arrivalOf({ timestamp });
      expect([vote.castAt, vote.claim]).toEqual([NOON, null]);
    },
  );
});

describe('a vote', () => {
  test('goes to the ledger with channel, address, text and block digest as received', async () => {
    const blockDigest = Buffer.alloc(32, 7);
    const { vote } = await arrivalOf({}, { channel: 'listener-v1', text: 'VOTE\n…', blockDigest });
    expect(vote).toMatchObject({
      channel: 'listener-v1',
      address: '192.0.2.7',
      wire: 'VOTE\n…',
      blockDigest,
      eventId: null,
    });
  });

  test('has a null address if the address is not known', async () => {
    expect((await arrivalOf({}, { address: '' })).vote.address).toBeNull();
  });

  test('is reported to onRecorded once it is stored', async () => {
    const { intake, recordedVotes } = intakeWith();
    await intake.accept(received());
    expect(recordedVotes).toMatchObject([{ kind: 'new', id: 1, decision: { kind: 'rewarded' } }]);
  });

  test('is refused with ledger-unable if it cannot be stored, and onUnable gets the reason', async () => {
    const problem = new Problem('ledger-full', 'The disk is full.');
    const { intake, recordedVotes, unable } = intakeWith({ problem });
    expect(await intake.accept(received())).toBe('ledger-unable');
    expect([recordedVotes, unable]).toEqual([[], ['ledger-full steve']]);
  });

  test('by v1 that cannot be stored yet is kept without a refusal, and is lost only if the process stops first', async () => {
    const { intake, unable, lost } = intakeWith({ problem: new Problem('ledger-full', 'The disk is full.') });
    expect(await intake.accept(received({}, { channel: 'listener-v1' }))).toBeNull();
    expect([unable, lost]).toEqual([['ledger-full steve'], []]);
    await intake.close();
    expect(lost).toEqual(['steve']);
  });

  test('is refused with ledger-unable if a bug prevents storing it, and onUnable gets the bug', async () => {
    const { intake, unable } = intakeWith({ problem: new TypeError('a bug') });
    expect(await intake.accept(received())).toBe('ledger-unable');
    expect(unable).toEqual(['TypeError: a bug steve']);
  });

  test.each(['listener-v1', 'listener-v2'] as const)(
    'by %s that is stored is answered ok and recorded once, however what follows fails, and each failure is logged once',
    async (channel) => {
      const fail = (): never => {
        throw new TypeError('a bug');
      };
      const { intake, arrivals, recordedVotes, unable, lines, clock } = intakeWith({
        followers: { first: fail, second: fail },
      });
      expect(await intake.accept(received({}, { channel }))).toBeNull();
      expect(await intake.accept(received({ username: 'Alex' }, { channel }))).toBeNull();
      clock.advance(60_000);
      await intake.close();
      expect([arrivals.length, recordedVotes.length, unable]).toEqual([2, 2, []]);
      expect(lines).toMatchObject([
        { level: 'error', code: 'bug', fields: { after: 'first', stack: expect.any(String) } },
        { level: 'error', code: 'bug', fields: { after: 'second' } },
      ]);
    },
  );

  test('is refused with ledger-unable if a bug prevents judging it, and the bug is logged', async () => {
    const { intake, lines } = intakeWith({ sites: new Map() });
    expect(await intake.accept(received())).toBe('ledger-unable');
    expect(lines).toMatchObject([{ level: 'error', code: 'bug', fields: { stack: expect.any(String) } }]);
  });
});

test('the suggested config entry is JSON without control characters, for any service name', () => {
  const names = ['My "List"', 'a\u009b2J', 'a\u202eb', 'a\u2028b', 'a\u007fb', 'a\u{e0041}b', '名'];
  expect(names.map(entryToAdd)).toEqual([
    '"My \\"List\\"": {}',
    '"a\\u009b2J": {}',
    '"a\\u202eb": {}',
    '"a\\u2028b": {}',
    '"a\\u007fb": {}',
    '"a\\udb40\\udc41b": {}',
    '"名": {}',
  ]);
  for (const name of names) expect(JSON.parse(`{${entryToAdd(name)}}`)).toEqual({ [name]: {} });
});

describe('a site that restricts protocols and addresses', () => {
  const RESTRICTED = new Map([
    ['default', site('default-token')],
    ['Restricted', siteConfig({ protocols: ['v2'], isFrom: withinNetworks(['203.0.113.0/24']) })],
  ]);

  test.each([
    ['listener-v2', '203.0.113.9', null],
    ['listener-v1', '203.0.113.9', 'site-protocol'],
    ['listener-v2', '198.51.100.9', 'site-address'],
    ['listener-v2', '', 'site-address'],
  ] as const)('answers a vote by %s from %j with %j', async (channel, address, answer) => {
    const { intake, arrivals } = intakeWith({ sites: RESTRICTED });
    expect(await intake.accept(received({ serviceName: 'Restricted' }, { channel, address }))).toBe(answer);
    expect(arrivals).toHaveLength(answer === null ? 1 : 0);
    expect(await intake.accept(received({ serviceName: 'Other' }, { channel, address }))).toBeNull();
  });
});

describe('a vote that its listing reports', () => {
  const report: VoteReport = {
    channel: 'api',
    site: 'My-List.com',
    eventId: '01890000-0000-7000-8000-000000000001',
    userId: '80351110224678912',
    player: 'Steve',
    game: 'minecraft',
    votedAt: NOON - 5 * HOUR,
    receivedAt: NOON,
    address: null,
    unrewarded: null,
    text: '{}',
  };

  test('is answered as recorded once it is stored, however what follows fails', async () => {
    const figures = (): never => {
      throw new TypeError('a bug');
    };
    const { intake, arrivals } = intakeWith({ followers: { figures } });
    expect((await intake.acceptReport(report)).kind).toBe('recorded');
    expect(arrivals).toHaveLength(1);
  });
  const arrivalOfReport = async (more: Partial<VoteReport>) => {
    const { intake, arrivals } = intakeWith();
    expect(await intake.acceptReport({ ...report, ...more })).toMatchObject({ kind: 'recorded' });
    return arrivals[0] as Arrival;
  };

  test('counts at the time that the listing states, even if it was long ago', async () => {
    const { vote, cooldown, unrewarded } = await arrivalOfReport({});
    expect(vote).toMatchObject({
      service: 'My-List.com',
      site: 'My-List.com',
      recipient: { kind: 'player', key: 'steve', player: 'Steve' },
      castAt: NOON - 5 * HOUR,
      claim: { at: NOON - 5 * HOUR, precision: 'ms' },
      channel: 'api',
      eventId: report.eventId,
    });
    expect([cooldown, unrewarded]).toEqual([{ kind: 'span', ms: 12 * HOUR }, undefined]);
  });

  test('without a player is not rewarded on Minecraft, and pays the user on a bot listing', async () => {
    expect(await arrivalOfReport({ player: null })).toMatchObject({
      unrewarded: 'no-player',
      vote: { recipient: { kind: 'user', key: report.userId } },
    });
    const onBot = await arrivalOfReport({ player: null, game: 'bot', unrewarded: 'too-old' });
    expect(onBot).toMatchObject({ unrewarded: 'too-old', vote: { recipient: { kind: 'user' } } });
  });

  test.each([
    ['name-not-allowed', { player: 'a  b' }],
    ['name-too-long', { player: 'a'.repeat(17) }],
    ['user-not-allowed', { userId: 'a b' }],
  ] as const)('is refused with %s', async (code, more) => {
    const { intake, arrivals } = intakeWith();
    expect(await intake.acceptReport({ ...report, ...more })).toEqual({ kind: 'refused', code });
    expect(arrivals).toEqual([]);
  });

  test('with a cast time in the future is not recorded yet: vote-early', async () => {
    const { intake, arrivals, unable } = intakeWith();
    const early = { ...report, votedAt: report.receivedAt + 10 * 60_000 + 1 };
    expect(await intake.acceptReport(early)).toEqual({ kind: 'unable' });
    expect([arrivals, unable]).toEqual([[], [`vote-early ${report.player?.toLowerCase()}`]]);
    expect(await intake.acceptReport({ ...early, votedAt: early.votedAt - 1 })).toMatchObject({
      kind: 'recorded',
    });
  });

  test('whose site a reload has removed, or not added yet, is answered with unable', async () => {
    const { intake, arrivals } = intakeWith();
    expect(await intake.acceptReport({ ...report, site: 'Gone.com' })).toEqual({ kind: 'unable' });
    expect(arrivals).toEqual([]);
  });

  test('is not kept if it cannot be stored, because the listing reports it again', async () => {
    const { intake, unable } = intakeWith({ problem: new Problem('ledger-full', 'full') });
    expect(await intake.acceptReport(report)).toEqual({ kind: 'unable' });
    expect(unable).toHaveLength(1);
  });
});
