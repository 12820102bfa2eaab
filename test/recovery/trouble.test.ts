import { describe, expect, onTestFinished, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import type { ReportAnswer } from '../../src/intake/intake.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
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
import { Seeded } from '../support/seeded.ts';
import { withFacts } from '../support/sentences.ts';
import { HOUR, MINUTE, NOW, RestingClock, SECOND, SITE, scene, servedListing } from './scene.ts';
import { type Told, tell, telling, told } from './told-api.ts';

const DAY = 24 * HOUR;

/** A Teller whose one site has an API that plays these answers, the last one on and on. */
async function facing(scripts: readonly Script[], options: Partial<Parameters<typeof scene>[0]> = {}) {
  const server = await scriptedServer(...scripts);
  return { ...scene({ roots: { [SITE]: server.root }, ...options }), server };
}

const ADA = told(2, NOW - SECOND, 'Ada');
const players = (votes: readonly { player: string | null }[]) => votes.map(({ player }) => player);
const faultLines = ({ lines }: Pick<Awaited<ReturnType<typeof facing>>, 'lines'>) =>
  lines.filter(({ code }) => code === 'recovery-fault');

describe('what the listing refuses is told with what to do, once, and tried again at every interval', () => {
  test('MISSING_SCOPE: the token lacks votes:read', async () => {
    const clock = new RestingClock(NOW);
    const { service, root, token } = await servedListing(clock, 'webhooks:write');
    const { recovery, pass, sent, ...kept } = scene({ roots: { [SITE]: root }, clock, token });
    recovery.start();
    await pass(10 * MINUTE);
    expect(recovery.status()).toMatchObject([
      { lastAt: null, recoveredUntil: null, lastFault: { code: 'MISSING_SCOPE', at: NOW + 10 * MINUTE } },
    ]);
    expect(recovery.status()[0]?.lastFault?.sentence).toEqual(
      withFacts('votes:read', 'sites."My-List.com".api.token', '`teller reload`'),
    );
    expect([faultLines(kept).map(({ level }) => level), sent.length]).toEqual([['error'], 6]);
    expect(JSON.stringify(kept.lines)).not.toContain(token);
    expect(service.clock.now()).toBe(clock.now());
  });

  test('INVALID_TOKEN: the token is not known', async () => {
    const clock = new RestingClock(NOW);
    const { root } = await servedListing(clock);
    const { recovery, settled } = scene({ roots: { [SITE]: root }, clock, token: 'tok_of_nobody' });
    recovery.start();
    await settled();
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
    const { recovery, pass, settled, sent, stored, lines } = await facing([
      script,
      script,
      script,
      telling([ADA]),
    ]);
    recovery.start();
    await pass(4 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code } }]);
    expect(sent).toEqual([0, 2 * MINUTE, 4 * MINUTE]);
    recovery.nudge();
    await settled();
    expect(players(await stored())).toEqual(['Ada']);
    expect(recovery.status()).toMatchObject([{ lastFault: null, lastAt: NOW + 4 * MINUTE }]);
    expect(lines.map((line) => line.code)).toEqual(['recovery-fault', 'recovery-mended', 'recovered']);
  });
});

describe('what may pass by itself is tried again after 1, 2, 4 … s, at most the interval apart', () => {
  test.each([
    ['INTERNAL_ERROR', broken],
    ['not-the-api', html(502)],
    ['connection-lost', (response) => response.destroy()],
  ] satisfies [string, Script][])('%s', async (code, script) => {
    const { recovery, pass, sent, stored, lines } = await facing([script, script, script, telling([ADA])]);
    recovery.start();
    await pass(3 * SECOND);
    expect(recovery.status()).toMatchObject([{ lastFault: { code } }]);
    await pass(4 * SECOND);
    expect(sent).toEqual([0, SECOND, 3 * SECOND, 7 * SECOND]);
    expect(players(await stored())).toEqual(['Ada']);
    expect(lines.map((line) => line.code)).toEqual(['recovery-fault', 'recovery-mended', 'recovered']);
  });

  test('for days, without a second line in the log', async () => {
    const { recovery, pass, sent, ...kept } = await facing([broken]);
    recovery.start();
    await pass(6 * HOUR);
    expect(sent.length).toBeLessThan(190);
    expect(faultLines(kept).length).toBe(1);
  });
});

describe('a wait that the listing asks for', () => {
  test('is kept in full, also where it is longer than the interval and somebody nudges', async () => {
    const { recovery, pass, sent, stored } = await facing([limited(300), telling([ADA])]);
    recovery.start();
    await pass(10 * SECOND);
    recovery.nudge();
    await pass(290 * SECOND - 1);
    expect(sent).toEqual([0]);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'RATE_LIMITED' } }]);
    await pass(1);
    // The nudge asks once more after it.
    expect(sent).toEqual([0, 300 * SECOND, 300 * SECOND]);
    expect(players(await stored())).toEqual(['Ada']);
  });

  test('is kept for no longer than a day', async () => {
    const { recovery, pass, sent } = await facing([limited(400 * 86_400), noVotes]);
    recovery.start();
    await pass(DAY);
    expect(sent).toEqual([0, DAY]);
  });
});

describe('a service that breaks the rules', () => {
  test('and ignores the dates is told apart, and nothing of it is believed out of order', async () => {
    const votes = Array.from({ length: 150 }, (_, index) => told(index, NOW - HOUR + index * SECOND));
    const newest: Script = json(200, votes.slice(50).reverse());
    const { recovery, pass, stored, sent } = await facing([newest], { api: { payFrom: NOW - DAY } });
    recovery.start();
    await pass(10 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'dates-ignored' }, lastAt: null }]);
    expect(await stored()).toEqual([]);
    expect(sent.length).toBeLessThan(20);
  });

  test('and has a new full page for every question is asked 25 times a minute, and goes on', async () => {
    let next = 0;
    const endless: Script = (response, request) => {
      const until = new URL(request.url ?? '', 'http://localhost').searchParams.get('endDate');
      const end = until === null ? NOW : Date.parse(until);
      json(
        200,
        Array.from({ length: 100 }, () => told(next++, end - 1)),
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

  test('and tells votes of the future whatever the end holds up no other by them', async () => {
    const ahead = told(1, NOW + HOUR, 'Eve');
    const later = told(3, NOW + MINUTE, 'Zoe');
    const { recovery, pass, stored } = await facing([
      json(200, [ahead, ADA]),
      json(200, [ahead, later, ADA]),
    ]);
    recovery.start();
    await pass(3 * MINUTE);
    expect(players(await stored())).toEqual(['Ada', 'Zoe']);
    expect(recovery.status()).toMatchObject([{ lastFault: null }]);
  });

  test('and tells votes of the future is read; they are nobody’s until they are cast', async () => {
    const ahead = told(1, NOW + HOUR, 'Ada');
    const { recovery, caughtUp, stored } = await facing([telling([ahead])]);
    recovery.start();
    await caughtUp();
    expect(players(await stored())).toEqual([]);
    expect(recovery.status()).toMatchObject([{ recoveredUntil: null, lastFault: null }]);
  });
});

test('a service that asks to be left alone for hours is, and the log says until when', async () => {
  const { recovery, pass, sent, lines } = await facing([limited(7_200), telling([ADA])]);
  recovery.start();
  await pass(2 * HOUR - SECOND);
  expect(sent.length).toBe(1);
  expect(lines.map(({ code, sentence }) => (code === 'recovery-left-alone' ? sentence : code))).toEqual([
    'recovery-fault',
    withFacts('My-List.com', '2 h', '2026-06-03T14:00:00.000Z'),
  ]);
  await pass(SECOND);
  expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
});

test('a record that repeats the token of the API does not bring it into the log', async () => {
  const token = 'tok_of_the_listing';
  const odd = { ...told(7, NOW - 2 * SECOND), votedAt: token };
  const refused = told(8, NOW - 3 * SECOND, `;${token}`);
  const { recovery, caughtUp, codes, lines } = await facing([json(200, [ADA, odd, refused])], { token });
  recovery.start();
  await caughtUp();
  expect(codes('warn').sort()).toEqual(['api-name-too-long', 'api-not-a-vote']);
  expect(JSON.stringify(lines)).not.toContain(token);
});

test('a record that is no vote is told once and counted, and holds up no other', async () => {
  const odd = { ...told(7, NOW - 2 * SECOND, 'Odd'), votedAt: 'yesterday' };
  const { recovery, pass, stored, lines } = await facing([json(200, [ADA, odd])]);
  recovery.start();
  await pass(10 * MINUTE);
  expect(players(await stored())).toEqual(['Ada']);
  expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
  expect(lines.filter(({ code }) => code === 'api-not-a-vote')).toEqual([
    expect.objectContaining({
      level: 'warn',
      sentence: withFacts('"votedAt":"yesterday"', '1.votedAt: '),
    }),
  ]);
});

describe('records that are no votes hold up no vote, and nothing is waited for until they are gone', () => {
  const seen = { start: 'in', end: 'in', order: 'newest-first' } as const;
  /** Tells these votes, and those of `odd` with a user ID that is a number. */
  const tellingOdd =
    (votes: readonly Told[], odd: ReadonlySet<Told>): Script =>
    (response, request) => {
      const query = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
      const page = tell(votes, { ...query, limit: Number(query.limit) }, seen, new Seeded(7));
      json(
        200,
        page.map((vote) => (odd.has(vote) ? { ...vote, userId: 7 } : vote)),
      )(response, request);
    };

  test('where the first that is told is one: the fault is told, and passes with the next vote', async () => {
    const odd = told(1, NOW - MINUTE, 'Odd');
    const votes = [odd];
    const { recovery, pass, stored, codes } = await facing([tellingOdd(votes, new Set([odd]))]);
    recovery.start();
    await pass(20 * MINUTE);
    expect(recovery.status()).toMatchObject([{ lastFault: { code: 'unfit' }, lastAt: null }]);
    votes.push(told(2, NOW + 20 * MINUTE, 'Ada'));
    await pass(3 * MINUTE);
    expect(players(await stored())).toEqual(['Ada']);
    expect(recovery.status()).toMatchObject([{ lastFault: null, found: 1 }]);
    expect(codes('error')).toEqual(['recovery-fault']);
  });

  test('where one is alone in a quiet stretch of a gap', async () => {
    const odd = told(1, NOW - 40 * HOUR, 'Odd');
    const rest = Array.from({ length: 600 }, (_, index) => told(index + 2, NOW - HOUR + index * SECOND));
    const { recovery, pass, stored } = await facing([tellingOdd([odd, ...rest], new Set([odd]))]);
    recovery.start();
    await pass(10 * MINUTE);
    expect((await stored()).length).toBe(600);
    expect(recovery.status()).toMatchObject([{ lastFault: null, found: 600 }]);
  });

  test('where they fill pages: older votes are reached by their times, and no instant is called crowded', async () => {
    const votes = Array.from({ length: 250 }, (_, index) => told(index, NOW - HOUR + index * SECOND));
    const { recovery, pass, stored, codes } = await facing([tellingOdd(votes, new Set(votes.slice(1, 249)))]);
    recovery.start();
    await pass(10 * MINUTE);
    expect(players(await stored())).toEqual(['Player0', 'Player249']);
    expect(codes('error')).toEqual([]);
  });
});

test('a site that is down delays no other', async () => {
  const down = await scriptedServer(stall);
  const up = await scriptedServer(telling([ADA]));
  const roots = { 'Down.com': down.root, [SITE]: up.root };
  const { recovery, stored, underWay } = scene({ roots });
  recovery.start();
  while (recovery.status()[1]?.lastAt === null) await new Promise((resolve) => setImmediate(resolve));
  expect([players(await stored()), underWay()]).toEqual([['Ada'], 1]);
  expect(recovery.status()).toMatchObject([
    { site: 'Down.com', lastAt: null, found: 0 },
    { site: SITE, lastAt: NOW, found: 1 },
  ]);
});

/** The ledger, with methods that reject while a test says so. */
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
  test('holds up the votes after it, and loses none', async () => {
    const votes = Array.from({ length: 40 }, (_, index) => told(index, NOW - HOUR + index * SECOND));
    const { ledger } = freshLedger(':memory:');
    const locked = failing(ledger, 'record', (call) => call >= 11 && call < 14);
    const { recovery, settled, pass, stored, sent, unable, ...kept } = await facing([telling(votes)], {
      ledger: locked,
      api: { payFrom: NOW - DAY },
    });
    recovery.start();
    await settled();
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
    'is asked again for %s',
    async (method) => {
      const { ledger } = freshLedger(':memory:');
      const { recovery, settled, pass, stored } = await facing([telling([ADA])], {
        ledger: failing(ledger, method, (call) => call === 1),
      });
      recovery.start();
      await settled();
      expect(recovery.status()).toMatchObject([{ lastFault: { code: 'ledger-locked' } }]);
      await pass(SECOND);
      expect(recovery.status()).toMatchObject([{ lastFault: null, lastAt: NOW + SECOND, found: 1 }]);
      expect(players(await stored())).toEqual(['Ada']);
    },
  );
});

test('a bug is logged, and does not end the looking', async () => {
  const { recovery, settled, pass, intake, lines, stored } = await facing([telling([ADA])]);
  const accept = intake.acceptReport.bind(intake);
  intake.acceptReport = () => Promise.reject(new TypeError('x is not a function'));
  recovery.start();
  await settled();
  expect(lines.map(({ code }) => code)).toEqual(['bug', 'recovery-fault']);
  intake.acceptReport = accept;
  await pass(2 * MINUTE);
  expect(players(await stored())).toEqual(['Ada']);
});

describe('a crash', () => {
  const votes: Told[] = Array.from({ length: 2_400 }, (_, index) =>
    told(index, NOW - 40 * HOUR + index * MINUTE),
  );

  test.each([0, 1, 99, 250, 251, 700, 1_300, 2_399])(
    'after %i votes loses and doubles nothing, and what was recovered is not asked for again',
    async (survived) => {
      const server = await scriptedServer(telling(votes));
      const { ledger } = freshLedger(':memory:');
      const roots = { [SITE]: server.root };
      const api = { payFrom: NOW - 40 * HOUR };
      const first = scene({ roots, ledger, api });
      const accept = first.intake.acceptReport.bind(first.intake);
      let accepted = 0;
      let isOver = false;
      let bury: () => void = () => {};
      // From then on this process does nothing more.
      const dead = new Promise<ReportAnswer>((resolve) => (bury = () => resolve({ kind: 'unable' })));
      onTestFinished(() => bury());
      first.intake.acceptReport = (listed) => {
        if (accepted++ < survived) return accept(listed);
        isOver = true;
        return dead;
      };
      first.recovery.start();
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (first.underWay() === 0 && first.clock.pending > 0) first.clock.advance(first.clock.nextInMs ?? 0);
      }
      const until = await ledger.recoveredUntil(SITE);
      const asked = server.requests.length;

      const second = scene({ roots, ledger, api });
      second.recovery.start();
      await second.caughtUp();
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
  test('ends a request that gets no answer, and leaves no alarm', async () => {
    const { recovery, server, clock } = await facing([stall]);
    recovery.start();
    await server.came(1);
    await recovery.close();
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['between two polls', noVotes],
    ['that the listing asked for', limited(600)],
    ['before another try', broken],
  ])('ends the wait %s, and leaves no alarm', async (_which, script) => {
    const { recovery, settled, clock, server } = await facing([script]);
    recovery.start();
    await settled();
    await recovery.close();
    expect(clock.pending).toBe(0);
    recovery.nudge();
    clock.advance(DAY);
    expect(server.requests.length).toBe(1);
  });

  test('before the start does nothing', async () => {
    const { recovery, clock } = await facing([noVotes]);
    await recovery.close();
    expect(clock.pending).toBe(0);
  });

  test('lets the vote in hand be stored, and no other', async () => {
    const clock = new RestingClock(NOW);
    const { service, listing, token, root } = await servedListing(clock);
    for (let vote = 0; vote < 3; vote++)
      addVote(service.database, listing, NOW - 3 + vote, { player: `P${vote}` });
    const { recovery, intake, stored } = scene({ roots: { [SITE]: root }, clock, token });
    const accept = intake.acceptReport.bind(intake);
    const closed = new Promise<void>((resolve, reject) => {
      intake.acceptReport = (listed) => {
        recovery.close().then(resolve, reject);
        return accept(listed);
      };
    });
    recovery.start();
    await closed;
    expect(players(await stored())).toEqual(['P0']);
  });
});
