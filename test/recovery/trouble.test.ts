import { describe, expect, onTestFinished, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ReportAnswer } from '../../src/votes/intake/intake.ts';
import {
  broken,
  failure,
  html,
  json,
  limited,
  noVotes,
  type Script,
  scriptedServer,
  stall,
} from '../listing-client/scripted-api.ts';
import { freshLedger } from '../support/ledgers.ts';
import { addVote } from '../support/listing-rows.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import {
  HOUR,
  MINUTE,
  NOW,
  recoveringTeller,
  SECOND,
  SITE,
  StillClock,
  servedListing,
} from './recovering-teller.ts';
import { type Reported, record, report, reporting } from './reporting-api.ts';

const DAY = 24 * HOUR;

/** A Teller whose only site has an API that gives these answers, repeating the last one. */
async function facing(
  scripts: readonly Script[],
  options: Partial<Parameters<typeof recoveringTeller>[0]> = {},
) {
  const server = await scriptedServer(...scripts);
  return { ...recoveringTeller({ roots: { [SITE]: server.root }, ...options }), server };
}

const ADA = record(2, NOW - SECOND, 'Ada');
const players = (votes: readonly { player: string | null }[]) => votes.map(({ player }) => player);
const faultLines = ({ lines }: Pick<Awaited<ReturnType<typeof facing>>, 'lines'>) =>
  lines.filter(({ code }) => code === 'recovery-fault');

describe('a refusal of the listing is logged once with what to do, and retried at every interval', () => {
  test('MISSING_SCOPE: the token lacks votes:read', async () => {
    const clock = new StillClock(NOW);
    const { service, root, token } = await servedListing(clock, 'webhooks:write');
    const { recovery, pass, sent, ...kept } = recoveringTeller({ roots: { [SITE]: root }, clock, token });
    recovery.start();
    await pass(10 * MINUTE);
    expect(recovery.status()).toMatchObject([
      { lastAt: null, recoveredUntil: null, lastFault: { code: 'MISSING_SCOPE', at: NOW + 10 * MINUTE } },
    ]);
    expect(recovery.status()[0]?.lastFault?.sentence).toEqual(
      naming('votes:read', 'sites."My-List.com".api.token', '`teller reload`'),
    );
    expect([faultLines(kept).map(({ level }) => level), sent.length]).toEqual([['error'], 6]);
    expect(JSON.stringify(kept.lines)).not.toContain(token);
    expect(service.clock.now()).toBe(clock.now());
  });

  test('INVALID_TOKEN: the token is not known', async () => {
    const clock = new StillClock(NOW);
    const { root } = await servedListing(clock);
    const { recovery, idle } = recoveringTeller({ roots: { [SITE]: root }, clock, token: 'tok_of_nobody' });
    recovery.start();
    await idle();
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'INVALID_TOKEN' } }]);
    expect(recovery.status()[0]?.lastFault?.sentence).toContain('sites."My-List.com".api.token');
  });

  test.each([
    ['FORBIDDEN', json(403, failure(403, 'FORBIDDEN'))],
    ['NOT_FOUND', json(404, failure(404, 'NOT_FOUND'))],
    ['VALIDATION_FAILED', json(400, failure(400, 'VALIDATION_FAILED'))],
    ['unfit', json(200, { votes: [] })],
    ['unfit', json(200, [{ ...ADA, votedAt: 'yesterday' }])],
    ['redirected', (response) => response.writeHead(302, { Location: 'https://example.com/' }).end()],
  ] satisfies [string, Script][])('%s', async (code, script) => {
    const { recovery, pass, idle, sent, stored, lines } = await facing([
      script,
      script,
      script,
      reporting([ADA]),
    ]);
    recovery.start();
    await pass(4 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code } }]);
    expect(sent).toEqual([0, 2 * MINUTE, 4 * MINUTE]);
    recovery.nudge();
    await idle();
    expect(players(await stored())).toEqual(['Ada']);
    expect(recovery.status()).toMatchObject([{ lastFault: null, lastAt: NOW + 4 * MINUTE }]);
    expect(lines.map((line) => line.code)).toEqual(['recovery-fault', 'recovery-mended', 'recovered']);
  });
});

describe('a transient fault is retried after 1, 2, 4 … s, and at least once per interval', () => {
  test.each([
    ['INTERNAL_ERROR', broken],
    ['not-the-api', html(502)],
    ['connection-lost', (response) => response.destroy()],
  ] satisfies [string, Script][])('%s', async (code, script) => {
    const { recovery, pass, sent, stored, lines } = await facing([script, script, script, reporting([ADA])]);
    recovery.start();
    await pass(3 * SECOND);
    expect(recovery.status()).toMatchObject([{ lastFault: { code } }]);
    await pass(4 * SECOND);
    expect(sent).toEqual([0, SECOND, 3 * SECOND, 7 * SECOND]);
    expect(players(await stored())).toEqual(['Ada']);
    expect(lines.map((line) => line.code)).toEqual(['recovery-fault', 'recovery-mended', 'recovered']);
  });

  test('for hours, with only one line in the log', async () => {
    const { recovery, pass, sent, ...kept } = await facing([broken]);
    recovery.start();
    await pass(6 * HOUR);
    expect(sent.length).toBeLessThan(190);
    expect(faultLines(kept).length).toBe(1);
  });
});

describe('a wait that the listing asks for', () => {
  test('is kept in full, even if it is longer than the interval and there is a nudge', async () => {
    const { recovery, pass, sent, stored } = await facing([limited(300), reporting([ADA])]);
    recovery.start();
    await pass(10 * SECOND);
    recovery.nudge();
    await pass(290 * SECOND - 1);
    expect(sent).toEqual([0]);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'RATE_LIMITED' } }]);
    await pass(1);
    // The nudge causes one more request afterwards.
    expect(sent).toEqual([0, 300 * SECOND, 300 * SECOND]);
    expect(players(await stored())).toEqual(['Ada']);
  });

  test('is limited to a day', async () => {
    const { recovery, pass, sent } = await facing([limited(400 * 86_400), noVotes]);
    recovery.start();
    await pass(DAY);
    expect(sent).toEqual([0, DAY]);
  });
});

describe('a service that breaks the rules', () => {
  test('by ignoring the dates is reported as dates-ignored, and none of its votes are stored', async () => {
    const votes = Array.from({ length: 150 }, (_, index) => record(index, NOW - HOUR + index * SECOND));
    const newest: Script = json(200, votes.slice(50).reverse());
    const { recovery, pass, stored, sent } = await facing([newest], { api: { payFrom: NOW - DAY } });
    recovery.start();
    await pass(10 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'dates-ignored' }, lastAt: null }]);
    expect(await stored()).toEqual([]);
    expect(sent.length).toBeLessThan(20);
  });

  test('by sending a new full page for every request is asked 25 times a minute, and its votes are stored', async () => {
    let next = 0;
    const endless: Script = (response, request) => {
      const until = new URL(request.url ?? '', 'http://localhost').searchParams.get('endDate');
      const end = until === null ? NOW : Date.parse(until);
      json(
        200,
        Array.from({ length: 100 }, () => record(next++, end - 1)),
      )(response, request);
    };
    const { recovery, pass, ledger, sent, codes } = await facing([endless]);
    recovery.start();
    await pass(2 * MINUTE + SECOND);
    expect(sent.length).toBe(75);
    expect(await ledger.recoveredUntil(SITE)).toBeGreaterThan(NOW - 48 * HOUR - 1);
    expect(codes('error')).toContain('recovery-crowded');
    await recovery.close();
  });

  test('by returning future votes after the requested end does not block other votes', async () => {
    const ahead = record(1, NOW + HOUR, 'Eve');
    const later = record(3, NOW + MINUTE, 'Zoe');
    const { recovery, pass, stored } = await facing([
      json(200, [ahead, ADA]),
      json(200, [ahead, later, ADA]),
    ]);
    recovery.start();
    await pass(3 * MINUTE);
    expect(players(await stored())).toEqual(['Ada', 'Zoe']);
    expect(recovery.status()).toMatchObject([{ lastFault: null }]);
  });

  test('by returning future votes causes no fault; they are ignored until their cast time', async () => {
    const ahead = record(1, NOW + HOUR, 'Ada');
    const { recovery, catchUp, stored } = await facing([reporting([ahead])]);
    recovery.start();
    await catchUp();
    expect(players(await stored())).toEqual([]);
    expect(recovery.status()).toMatchObject([{ recoveredUntil: null, lastFault: null }]);
  });
});

test('a service that asks for a wait of hours gets no requests meanwhile, and the log says until when', async () => {
  const { recovery, pass, sent, lines } = await facing([limited(7_200), reporting([ADA])]);
  recovery.start();
  await pass(2 * HOUR - SECOND);
  expect(sent.length).toBe(1);
  expect(lines.map(({ code, sentence }) => (code === 'recovery-left-alone' ? sentence : code))).toEqual([
    'recovery-fault',
    naming('My-List.com', '2 h', '2026-06-03T14:00:00.000Z'),
  ]);
  await pass(SECOND);
  expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
});

test('the log does not show the API token if a record repeats it', async () => {
  const token = 'tok_of_the_listing';
  const unreadable = { ...record(7, NOW - 2 * SECOND), votedAt: token };
  const refused = record(8, NOW - 3 * SECOND, `;${token}`);
  const { recovery, catchUp, codes, lines } = await facing([json(200, [ADA, unreadable, refused])], {
    token,
  });
  recovery.start();
  await catchUp();
  expect(codes('warn').sort()).toEqual(['api-name-too-long', 'api-not-a-vote']);
  expect(JSON.stringify(lines)).not.toContain(token);
});

test('a record that is not a vote is logged once and counted, and does not block others', async () => {
  const unreadable = { ...record(7, NOW - 2 * SECOND, 'Odd'), votedAt: 'yesterday' };
  const { recovery, pass, stored, lines } = await facing([json(200, [ADA, unreadable])]);
  recovery.start();
  await pass(10 * MINUTE);
  expect(players(await stored())).toEqual(['Ada']);
  expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
  expect(lines.filter(({ code }) => code === 'api-not-a-vote')).toEqual([
    expect.objectContaining({
      level: 'warn',
      sentence: naming('"votedAt":"yesterday"', '1.votedAt: '),
    }),
  ]);
});

describe('records that are not votes do not block votes', () => {
  const seen = { start: 'in', end: 'in', order: 'newest-first' } as const;
  /** Reports `votes`; those in `unreadable` get a number as their user ID. */
  const reportingUnreadable =
    (votes: readonly Reported[], unreadable: ReadonlySet<Reported>): Script =>
    (response, request) => {
      const query = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
      const page = report(votes, { ...query, limit: Number(query.limit) }, seen, new Seeded(7));
      json(
        200,
        page.map((vote) => (unreadable.has(vote) ? { ...vote, userId: 7 } : vote)),
      )(response, request);
    };

  test('if there are no others: the fault is logged, and cleared by the next vote', async () => {
    const unreadable = record(1, NOW - MINUTE, 'Odd');
    const votes = [unreadable];
    const { recovery, pass, stored, codes } = await facing([
      reportingUnreadable(votes, new Set([unreadable])),
    ]);
    recovery.start();
    await pass(20 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'unfit' }, lastAt: null }]);
    votes.push(record(2, NOW + 20 * MINUTE, 'Ada'));
    await pass(3 * MINUTE);
    expect(players(await stored())).toEqual(['Ada']);
    expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
    expect(codes('error')).toEqual(['recovery-fault']);
  });

  test('if one of them is alone in a quiet part of a gap', async () => {
    const unreadable = record(1, NOW - 40 * HOUR, 'Odd');
    const rest = Array.from({ length: 600 }, (_, index) => record(index + 2, NOW - HOUR + index * SECOND));
    const { recovery, pass, stored } = await facing([
      reportingUnreadable([unreadable, ...rest], new Set([unreadable])),
    ]);
    recovery.start();
    await pass(10 * MINUTE);
    expect((await stored()).length).toBe(600);
    expect(recovery.status()).toMatchObject([{ lastFault: null, found: 600 }]);
  });

  test('if they fill whole pages: older votes are reached through the records’ times, and no full millisecond is logged', async () => {
    const votes = Array.from({ length: 250 }, (_, index) => record(index, NOW - HOUR + index * SECOND));
    const { recovery, pass, stored, codes } = await facing([
      reportingUnreadable(votes, new Set(votes.slice(1, 249))),
    ]);
    recovery.start();
    await pass(10 * MINUTE);
    expect(players(await stored())).toEqual(['Player0', 'Player249']);
    expect(codes('error')).toEqual([]);
  });
});

test('a site that is down does not delay the others', async () => {
  const down = await scriptedServer(stall);
  const up = await scriptedServer(reporting([ADA]));
  const roots = { 'Down.com': down.root, [SITE]: up.root };
  const { recovery, stored, openRequests } = recoveringTeller({ roots });
  recovery.start();
  while (recovery.status()[1]?.lastAt === null) await new Promise((resolve) => setImmediate(resolve));
  expect([players(await stored()), openRequests()]).toEqual([['Ada'], 1]);
  expect(recovery.status()).toMatchObject([
    { site: 'Down.com', lastAt: null, found: 0 },
    { site: SITE, lastAt: NOW, found: 1 },
  ]);
});

/** The ledger with one method that rejects the calls that the test selects. */
function failing(ledger: Ledger, method: keyof Ledger, isFailing: (call: number) => boolean): Ledger {
  let calls = 0;
  const original = (ledger[method] as (...given: unknown[]) => unknown).bind(ledger);
  const rejecting = async (...given: unknown[]) => {
    if (isFailing(++calls)) throw new Problem('ledger-locked', 'The ledger is locked.');
    return await original(...given);
  };
  return new Proxy(ledger, { get: (target, key) => (key === method ? rejecting : Reflect.get(target, key)) });
}

describe('a ledger that cannot store', () => {
  test('delays later votes, and none is lost', async () => {
    const votes = Array.from({ length: 40 }, (_, index) => record(index, NOW - HOUR + index * SECOND));
    const { ledger } = freshLedger(':memory:');
    const locked = failing(ledger, 'record', (call) => call >= 11 && call < 14);
    const { recovery, idle, pass, stored, sent, unable, ...kept } = await facing([reporting(votes)], {
      ledger: locked,
      api: { payFrom: NOW - DAY },
    });
    recovery.start();
    await idle();
    expect((await stored()).length).toBe(10);
    expect(recovery.status()).toMatchObject([
      { lastAt: null, recoveredUntil: null, lastFault: { code: 'vote-not-stored' }, found: 10 },
    ]);
    await pass(7 * SECOND);
    expect(players(await stored())).toEqual(votes.map(({ metadata }) => metadata.playerName));
    expect([unable.length, sent.length, faultLines(kept).length]).toEqual([3, 1, 1]);
    expect(recovery.status()).toMatchObject([
      { lastFault: null, recoveredUntil: NOW - HOUR + 39 * SECOND, found: 40 },
    ]);
  });

  test.each(['firstSeen', 'recoveredUntil', 'knownEvents', 'setRecoveredUntil'] as const)(
    'is asked again if %s fails',
    async (method) => {
      const { ledger } = freshLedger(':memory:');
      const { recovery, idle, pass, stored } = await facing([reporting([ADA])], {
        ledger: failing(ledger, method, (call) => call === 1),
      });
      recovery.start();
      await idle();
      expect(recovery.status()).toMatchObject([{ lastFault: { code: 'ledger-locked' } }]);
      await pass(SECOND);
      expect(recovery.status()).toMatchObject([{ lastFault: null, lastAt: NOW + SECOND, found: 1 }]);
      expect(players(await stored())).toEqual(['Ada']);
    },
  );
});

test('a bug is logged, and does not stop the recovery', async () => {
  const { recovery, idle, pass, intake, lines, stored } = await facing([reporting([ADA])]);
  const accept = intake.acceptReport.bind(intake);
  intake.acceptReport = () => Promise.reject(new TypeError('x is not a function'));
  recovery.start();
  await idle();
  expect(lines.map(({ code }) => code)).toEqual(['bug', 'recovery-fault']);
  intake.acceptReport = accept;
  await pass(2 * MINUTE);
  expect(players(await stored())).toEqual(['Ada']);
});

describe('a crash', () => {
  const votes: Reported[] = Array.from({ length: 2_400 }, (_, index) =>
    record(index, NOW - 40 * HOUR + index * MINUTE),
  );

  test.each([0, 1, 99, 250, 251, 700, 1_300, 2_399])(
    'after %i votes loses and duplicates none, and recovered votes are not requested again',
    async (survived) => {
      const server = await scriptedServer(reporting(votes));
      const { ledger } = freshLedger(':memory:');
      const roots = { [SITE]: server.root };
      const api = { payFrom: NOW - 40 * HOUR };
      const first = recoveringTeller({ roots, ledger, api });
      const accept = first.intake.acceptReport.bind(first.intake);
      let accepted = 0;
      let isOver = false;
      let release: () => void = () => {};
      // After this the first process does nothing more.
      const dead = new Promise<ReportAnswer>((resolve) => (release = () => resolve({ kind: 'unable' })));
      onTestFinished(() => release());
      first.intake.acceptReport = (report) => {
        if (accepted++ < survived) return accept(report);
        isOver = true;
        return dead;
      };
      first.recovery.start();
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (first.openRequests() === 0 && first.clock.pending > 0)
          first.clock.advance(first.clock.nextInMs ?? 0);
      }
      const until = await ledger.recoveredUntil(SITE);
      const asked = server.requests.length;

      const second = recoveringTeller({ roots, ledger, api });
      second.recovery.start();
      await second.catchUp();
      const stored = await second.stored();
      expect(players(stored)).toEqual(votes.map(({ metadata }) => metadata.playerName));
      expect(stored.filter(({ repeats }) => repeats > 0)).toEqual([]);
      expect(second.recovery.status()).toMatchObject([{ found: 2_400 - survived }]);
      const from = new URL(server.requests[asked]?.url ?? '', server.root).searchParams.get('startDate');
      const overlap = 10 * MINUTE;
      expect(from).toBe(new Date((until === null ? NOW - 48 * HOUR : until - overlap) - 1).toISOString());
      if (survived > 1_000) expect(until).toBeGreaterThan(NOW - 40 * HOUR);
    },
  );
});

describe('close', () => {
  test('cancels a request that gets no answer, and leaves no timer', async () => {
    const { recovery, server, clock } = await facing([stall]);
    recovery.start();
    await server.receivedRequests(1);
    await recovery.close();
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['between two polls', noVotes],
    ['that the listing asked for', limited(600)],
    ['before a retry', broken],
  ])('ends the wait %s, and leaves no timer', async (_which, script) => {
    const { recovery, idle, clock, server } = await facing([script]);
    recovery.start();
    await idle();
    await recovery.close();
    expect(clock.pending).toBe(0);
    recovery.nudge();
    clock.advance(DAY);
    expect(server.requests.length).toBe(1);
  });

  test('does nothing before the start', async () => {
    const { recovery, clock } = await facing([noVotes]);
    await recovery.close();
    expect(clock.pending).toBe(0);
  });

  test('waits for the vote that is being stored, and submits no other', async () => {
    const clock = new StillClock(NOW);
    const { service, listing, token, root } = await servedListing(clock);
    for (let vote = 0; vote < 3; vote++)
      addVote(service.database, listing, NOW - 3 + vote, { player: `P${vote}` });
    const { recovery, intake, stored } = recoveringTeller({ roots: { [SITE]: root }, clock, token });
    const accept = intake.acceptReport.bind(intake);
    const closed = new Promise<void>((resolve, reject) => {
      intake.acceptReport = (report) => {
        recovery.close().then(resolve, reject);
        return accept(report);
      };
    });
    recovery.start();
    await closed;
    expect(players(await stored())).toEqual(['P0']);
  });
});
