import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import { Problem } from '../../src/core/problem.ts';
import type { VoteReport } from '../../src/votes/intake/vote-report.ts';
import { WebhookIn } from '../../src/votes/webhook/webhook-in.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled } from '../support/listening.ts';
import { silentLog } from '../support/log.ts';
import { naming } from '../support/naming.ts';
import { siteConfig } from '../support/site-config.ts';
import { EVENT_ID, OTHER_SECRET, payload, SECRET, signature, webhookIn } from './receiving.ts';

const DAY = 24 * 60 * 60 * 1000;
const VOTE = payload();
const RECORDED = [`${EVENT_ID} steve rewarded`];

test('records a signed vote as the site reports it, and answers 200', async () => {
  const { post, database, votes, grants } = await webhookIn();
  const spaced = JSON.stringify(JSON.parse(VOTE), null, 2);
  expect(await post(spaced)).toMatchObject({ status: 200, text: 'recorded [recorded]\n' });
  expect([votes(), grants()]).toEqual([RECORDED, 1]);
  expect(database.prepare('SELECT * FROM votes').get()).toMatchObject({
    service: 'List.example',
    site: 'List.example',
    player: 'Steve',
    cast_at: Date.parse('2026-06-01T12:00:00Z'),
    received_at: Date.parse('2026-06-01T12:00:01Z'),
    channel: 'webhook',
    address: '127.0.0.1',
    event_id: EVENT_ID,
    wire: VOTE,
  });
});

test('answers only after the vote is on disk', async () => {
  let store = (): void => {};
  const stored = new Promise<void>((resolve) => (store = resolve));
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const { post } = await webhookIn({
    intake: {
      acceptReport: async () => {
        begun();
        await stored;
        return { kind: 'refused', code: 'name-too-long' };
      },
    },
  });
  const answered = post(VOTE);
  await hasBegun;
  expect(await isSettled(answered)).toBe(false);
  store();
  expect((await answered).status).toBe(422);
});

test('accepts a delivery by its signature from any address: `from` only restricts votes to the listener', async () => {
  const webhook = { path: '/hooks/list', secret: new Secret(SECRET), listingId: 'listing-1' };
  const sites = new Map([['List.example', siteConfig({ isFrom: () => false, webhook })]]);
  const { post, votes } = await webhookIn({ sites });
  expect((await post(VOTE)).status).toBe(200);
  expect(votes()).toEqual(RECORDED);
});

describe('RC-01: only the exact signature of the raw bytes is accepted', () => {
  const RIGHT = signature(VOTE);
  const HEX = RIGHT.slice('sha256='.length);

  test.each([
    ['is missing', null],
    ['is empty', ''],
    ['has upper-case digits', `sha256=${HEX.toUpperCase()}`],
    ['has an upper-case prefix', `SHA256=${HEX}`],
    ['has no prefix', HEX],
    ['has a space in it', `sha256= ${HEX}`],
    ['has one bit flipped', RIGHT.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
    ['is short', 'sha256=abc'],
    ['has something after it', `${RIGHT}0`],
    ['comes twice', `${RIGHT}, ${RIGHT}`],
    ['is made with another secret', signature(VOTE, OTHER_SECRET)],
    ['is of an empty body', signature('')],
  ])('RC-01: answers 401 if the signature %s', async (_case, signed) => {
    const { post, votes } = await webhookIn();
    expect((await post(VOTE, { signed })).status).toBe(401);
    expect(votes()).toEqual([]);
    expect((await post(VOTE)).status).toBe(200);
  });

  test('RC-01: refuses the same JSON in other bytes, and accepts it with a new signature', async () => {
    const { post, votes } = await webhookIn();
    const escaped = VOTE.replace('Steve', '\\u0053teve');
    expect((await post(escaped, { signed: RIGHT })).status).toBe(401);
    expect((await post(`${VOTE}\n`, { signed: RIGHT })).status).toBe(401);
    expect((await post(escaped)).status).toBe(200);
    expect(votes()).toEqual(RECORDED);
  });

  test('RC-01: checks the signature before the body is parsed', async () => {
    const { post } = await webhookIn();
    expect((await post('{', { signed: RIGHT })).status).toBe(401);
    expect((await post('{')).status).toBe(400);
  });
});

describe('RC-02: one event is one vote and one reward', () => {
  test('RC-02: even if it arrives five times at once, and again on day 89', async () => {
    const { post, clock, votes, grants } = await webhookIn();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(VOTE)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ text }) => text.includes('[recorded]'))).toHaveLength(1);
    clock.advance(89 * DAY);
    expect(await post(VOTE)).toMatchObject({ status: 200, text: expect.stringContaining('[same-vote]') });
    expect([votes(), grants()]).toEqual([RECORDED, 1]);
  });

  test('RC-02: while another event for the same player on the next day is another reward', async () => {
    const { post, votes, grants, clock } = await webhookIn();
    await post(VOTE);
    clock.advance(26 * 3_600_000);
    await post(payload({ eventId: 'next' }, { votedAt: '2026-06-02T12:00:00.000Z' }));
    await post(payload({ eventId: 'soon' }, { votedAt: '2026-06-02T13:00:00.000Z' }));
    expect(votes()).toEqual([...RECORDED, 'next steve rewarded', 'soon steve cooldown']);
    expect(grants()).toBe(2);
  });
});

test('answers 503 to a vote with a cast time in the future, and does not record it', async () => {
  const { post, votes, clock } = await webhookIn();
  const ahead = payload({ eventId: 'ahead' }, { votedAt: '2026-06-01T12:10:01.001Z' });
  expect((await post(ahead)).status).toBe(503);
  expect(votes()).toEqual([]);
  clock.advance(1);
  expect((await post(ahead)).status).toBe(200);
});

describe('RC-03: a test is answered 200 and leaves nothing behind', () => {
  test.each([
    ['is marked as one', { test: true, eventId: 'test' }],
    ['is marked as one and has an event id', { test: true }],
    ['has the event id of one', { eventId: 'test' }],
  ])('RC-03: if it %s', async (_case, change) => {
    const { post, votes, grants, lines } = await webhookIn();
    expect(await post(payload(change))).toMatchObject({
      status: 200,
      text: expect.stringContaining('[test]'),
    });
    expect([votes(), grants()]).toEqual([[], 0]);
    expect(lines).toMatchObject([{ level: 'info', code: 'webhook-test' }]);
  });
});

describe('RC-04: the event ID is read from the signed body, not from a header', () => {
  test('RC-04: a replay under another X-Service-Event-Id is the same vote', async () => {
    const { post, votes, grants } = await webhookIn();
    for (const id of [EVENT_ID, 'another', 'test']) {
      expect((await post(VOTE, { headers: { 'X-Service-Event-Id': id } })).status).toBe(200);
    }
    expect([votes(), grants()]).toEqual([RECORDED, 1]);
  });

  test('RC-04: two events under one X-Service-Event-Id are two votes', async () => {
    const { post, votes } = await webhookIn();
    const headers = { 'X-Service-Event-Id': EVENT_ID };
    await post(VOTE, { headers });
    await post(payload({ eventId: 'second' }, { playerName: 'Ann' }), { headers });
    expect(votes()).toEqual([...RECORDED, 'second ann rewarded']);
  });
});

test('RC-05: ignores username, avatarUrl and unknown fields', async () => {
  const { post, votes, database } = await webhookIn();
  const extra = { username: 'Alex', avatarUrl: 'https://a.example/a.png', constructor: { a: [1] } };
  expect((await post(payload({ added: { deep: [null] }, username: 'Bob' }, extra))).status).toBe(200);
  expect(votes()).toEqual(RECORDED);
  expect(database.prepare('SELECT player FROM votes').pluck().get()).toBe('Steve');
});

describe('a vote pays', () => {
  test.each([
    ['a player in another spelling', { playerName: 'STEVE' }, 'steve rewarded'],
    ['a Bedrock player', { playerName: '.Steve' }, '.steve rewarded'],
    ['no one if no player was named', { playerName: null }, '80351110224678912 no-player'],
    ['no one if the field is missing', { playerName: undefined }, '80351110224678912 no-player'],
    ['a user in another game', { game: 'hytale', playerName: null }, '80351110224678912 rewarded'],
    [
      'a user of a bot, even if it has a player name',
      { listingType: 'bot', game: undefined },
      '80351110224678912 rewarded',
    ],
  ])('%s', async (_case, data, vote) => {
    const { post, votes } = await webhookIn();
    expect((await post(payload({}, data))).status).toBe(200);
    expect(votes()).toEqual([`${EVENT_ID} ${vote}`]);
  });
});

describe('a vote with a valid signature counts', () => {
  test.each([
    [
      'without fields that only the sender needs',
      payload({ timestamp: undefined }, { nextVoteAt: null, weight: undefined }),
    ],
    ['with a time of another zone', payload({}, { votedAt: '2026-06-01T14:00:00+02:00' })],
    ['without its game, as the config has it', payload({}, { game: undefined })],
    ['of a game that is not known yet, as the config has it', payload({}, { game: 'another' })],
  ])('%s', async (_case, body) => {
    const { post, votes } = await webhookIn();
    expect((await post(body)).status).toBe(200);
    expect(votes()).toEqual(RECORDED);
  });
});

test('a body of exactly 64 KiB is read, and the trace keeps its beginning', async () => {
  const { post, votes, database } = await webhookIn();
  const long = payload({ added: 'x'.repeat(64 * 1024 - payload({ added: '' }).length) });
  expect(Buffer.byteLength(long)).toBe(64 * 1024);
  expect((await post(long)).status).toBe(200);
  expect(votes()).toEqual(RECORDED);
  expect(database.prepare('SELECT length(wire) FROM votes').pluck().get()).toBe(4_096);
});

describe('the path determines the site', () => {
  test('with its own secret and listing', async () => {
    const { post, database } = await webhookIn();
    const body = payload({}, { listingId: 'listing-2' });
    const path = '/hooks/other';
    expect((await post(body, { path })).status).toBe(401);
    expect((await post(body, { path, signed: signature(body, OTHER_SECRET) })).status).toBe(200);
    expect(database.prepare('SELECT site FROM votes').pluck().all()).toEqual(['Other.example']);
  });

  test('regardless of the query', async () => {
    const { post, votes } = await webhookIn();
    expect((await post(VOTE, { path: '/hooks/list?from=here&x=?' })).status).toBe(200);
    expect(votes()).toEqual(RECORDED);
  });

  test.each(['/', '/hooks', '/hooks/list/', '/hooks/List', '/hooks//list', '/hooks/%6cist', '/__proto__'])(
    '%s belongs to no site and is answered 404',
    async (path) => {
      const { post, votes } = await webhookIn();
      expect((await post(VOTE, { path })).status).toBe(404);
      expect(votes()).toEqual([]);
    },
  );
});

describe('a delivery that is refused for good is answered with the reason', () => {
  test.each([
    ['another listing', payload({}, { listingId: 'listing-2' }), 403, 'other-listing'],
    ['no JSON', '{"event":', 400, 'not-json'],
    ['nothing', '', 400, 'not-json'],
    [
      'bytes that are no UTF-8',
      new Uint8Array(Buffer.from(VOTE.replace('Steve', 'St\u00e9'), 'latin1')),
      400,
      'not-json',
    ],
    ['deep nesting', '['.repeat(60_000), 400, 'not-json'],
    ['null', 'null', 400, 'not-a-vote'],
    ['another event', payload({ event: 'vote.deleted' }), 400, 'not-a-vote'],
    ['another version', payload({ version: 2 }), 400, 'not-a-vote'],
    ['no time', payload({}, { votedAt: 'yesterday' }), 400, 'not-a-vote'],
    ['a day that no month has', payload({}, { votedAt: '2026-02-30T12:00:00Z' }), 400, 'not-a-vote'],
    ['an empty event id', payload({ eventId: '' }), 400, 'not-a-vote'],
    ['a name with a command in it', payload({}, { playerName: 'Steve;op' }), 422, 'name-not-allowed'],
    ['an empty name', payload({}, { playerName: '' }), 422, 'name-not-allowed'],
    ['a long name', payload({}, { playerName: 'x'.repeat(17) }), 422, 'name-too-long'],
    ['a user id with spaces', payload({}, { userId: 'a b', playerName: null }), 422, 'user-not-allowed'],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1), 413, 'too-large'],
    ['half a MiB', ' '.repeat(512 * 1024), 413, 'too-large'],
  ])('%s', async (_case, body, status, code) => {
    const { post, votes, lines } = await webhookIn();
    expect(await post(body)).toMatchObject({ status, text: expect.stringContaining(`[${code}]`) });
    expect(votes()).toEqual([]);
    expect(lines).toMatchObject([{ code: `webhook-${code}`, fields: { service: 'List.example' } }]);
    expect((await post(VOTE)).status).toBe(200);
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])('%s is answered 405', async (method) => {
    const { post } = await webhookIn();
    const answer = await post('', { method });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST']);
  });
});

describe('[WH-9] a problem that is not the delivery’s fault is never a 4xx', () => {
  test('503 with Retry-After while the ledger cannot store votes, so the event is sent again and recorded', async () => {
    const place = await webhookIn();
    place.database.pragma('query_only = 1');
    const answer = await place.post(VOTE);
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '30']);
    place.database.pragma('query_only = 0');
    expect((await place.post(VOTE)).status).toBe(200);
    expect(place.votes()).toEqual(RECORDED);
  });

  test('503 with the problem’s code in the log if the ledger cannot say whether the vote can be rewarded', async () => {
    const locked = new Problem('ledger-locked', 'The ledger is locked.');
    const { post, lines, votes } = await webhookIn({ unrewardedReason: () => Promise.reject(locked) });
    expect((await post(VOTE)).status).toBe(503);
    expect(votes()).toEqual([]);
    expect(lines[0]).toMatchObject({
      ...{ level: 'error', code: 'ledger-locked' },
      sentence: naming('The ledger is locked.'),
    });
  });

  test('503 if the intake has a bug, which is logged', async () => {
    const taken: VoteReport[] = [];
    const { post, lines } = await webhookIn({
      intake: {
        acceptReport: (vote) => {
          taken.push(vote);
          throw new Error('a bug');
        },
      },
    });
    expect((await post(VOTE)).status).toBe(503);
    expect((await post(VOTE)).status).toBe(503);
    expect(taken).toHaveLength(2);
    expect(lines[0]).toMatchObject({ level: 'error', code: 'bug' });
  });
});

test('a vote for another game than the one in the config is accepted, and the difference is logged once', async () => {
  const { post, votes, lines } = await webhookIn();
  const fivem = { game: 'fivem', playerName: null };
  expect((await post(payload({}, fivem))).status).toBe(200);
  await post(payload({ eventId: 'another' }, { ...fivem, userId: '7' }));
  expect(votes()).toEqual([`${EVENT_ID} 80351110224678912 rewarded`, 'another 7 rewarded']);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      code: 'webhook-other-game',
      sentence: naming('sites.List.example.game', 'minecraft', '"fivem"'),
    },
  ]);
});

test('fails before it starts to listen if a secret is missing', () => {
  const webhook = { path: '/x', secret: Secret.missing('sites.X has no secret'), listingId: '1' };
  const make = () =>
    new WebhookIn({
      host: '127.0.0.1',
      port: 0,
      sites: new Map([['X', siteConfig({ webhook })]]),
      intake: { acceptReport: async () => ({ kind: 'unable' }) },
      refusals: { count: () => {} },
      hosts: [],
      clock: new FakeClock(),
      log: silentLog,
    });
  expect(make).toThrowError(Problem);
});
