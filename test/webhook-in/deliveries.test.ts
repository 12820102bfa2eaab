import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { moveLedgerAway } from '../kit/ledger-file.ts';
import { EVENT_ID, hooked, OTHER_SECRET, payload, post, signature, USER_ID } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const DAY = 24 * 60 * 60 * 1000;
const VOTE = payload();
const SITES = {
  default: {},
  'List.example': hooked(),
  'Other.example': hooked('/hooks/other', OTHER_SECRET, 'listing-2'),
};
const STEVE = ['steve rewarded'];

/** It has run for two seconds, and it is a second after noon. */
async function receiving(sites: object = SITES): Promise<Here> {
  const config = { sites, webhook: { host: '127.0.0.1', port: 0, hosts: ['votes.example.com'] } };
  const teller = await here(config, new FakeClock('2026-06-01T11:59:59Z'));
  teller.clock.advance(2_000);
  return teller;
}

const votesOf = async ({ run }: Here) => (await run('votes', '--json')).json.toReversed();
const votesIn = async (teller: Here): Promise<string[]> =>
  (await votesOf(teller)).map(
    ({ recipient, decision }: Record<string, string>) => `${recipient} ${decision}`,
  );
const rewardsIn = async (teller: Here) => (await teller.grants()).length;
const logOf = ({ log }: Here) => log.filter(({ code }) => code.startsWith('webhook-'));

test('a signed vote is recorded as its listing reports it, and is answered 200, from any address: `from` only restricts votes to the listener', async () => {
  const teller = await receiving({ default: {}, 'List.example': { ...hooked(), from: ['203.0.113.0/24'] } });
  const answer = await post(teller, JSON.stringify(JSON.parse(VOTE), null, 2));
  expect(answer).toMatchObject({ status: 200, text: 'recorded [recorded]\n' });
  expect(await votesOf(teller)).toMatchObject([
    {
      ...{ service: 'List.example', site: 'List.example', player: 'Steve', channel: 'webhook' },
      ...{ castAt: '2026-06-01T12:00:00.000Z', receivedAt: '2026-06-01T12:00:01.000Z' },
      ...{ address: '127.0.0.1', decision: 'rewarded' },
    },
  ]);
  expect(await rewardsIn(teller)).toBe(1);
  const { json } = await teller.run('explain', 'Steve', '--bytes', '--json');
  expect(json[0].received).toBe(VOTE);
});

test('RC-01 [WH-7]: only the exact signature of the raw bytes is accepted, and it is checked before the body is parsed', async () => {
  const teller = await receiving();
  const right = signature(VOTE);
  const hex = right.slice('sha256='.length);
  for (const [what, signed, code] of [
    ['is missing', null, 'signature-missing'],
    ['is empty', '', 'signature-wrong'],
    ['has upper-case digits', `sha256=${hex.toUpperCase()}`, 'signature-wrong'],
    ['has an upper-case prefix', `SHA256=${hex}`, 'signature-wrong'],
    ['has no prefix', hex, 'signature-wrong'],
    ['has a space in it', `sha256= ${hex}`, 'signature-wrong'],
    ['has one bit flipped', right.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), 'signature-wrong'],
    ['is short', 'sha256=abc', 'signature-wrong'],
    ['is long', 'x'.repeat(8_000), 'signature-wrong'],
    ['has something after it', `${right}0`, 'signature-wrong'],
    ['comes twice', `${right}, ${right}`, 'signature-wrong'],
    ['is made with another secret', signature(VOTE, OTHER_SECRET), 'signature-wrong'],
    ['is of an empty body', signature(''), 'signature-wrong'],
  ] as const) {
    const answer = await post(teller, VOTE, { signed });
    expect(answer, what).toMatchObject({ status: 401, text: expect.stringContaining(`[${code}]`) });
  }
  const escaped = VOTE.replace('Steve', '\\u0053teve');
  expect((await post(teller, escaped, { signed: right })).status).toBe(401);
  expect((await post(teller, `${VOTE}\n`, { signed: right })).status).toBe(401);
  expect((await post(teller, '{', { signed: right })).status).toBe(401);
  expect(await votesIn(teller)).toEqual([]);
  expect((await post(teller, '{')).status).toBe(400);
  expect((await post(teller, escaped)).status).toBe(200);
  expect(await votesIn(teller)).toEqual(STEVE);
});

test('RC-02, RC-04: one event, by the ID in its signed body and not by a header, is one vote and one reward, even if it arrives five times at once, and again on day 89; another event for the same player on the next day is another reward, but not one within its cooldown', async () => {
  const teller = await receiving();
  const headed = (id: string, body = VOTE) => post(teller, body, { headers: { 'X-Service-Event-Id': id } });
  const ids = [EVENT_ID, 'another', 'test', EVENT_ID, 'another'];
  const answers = await Promise.all(ids.map((id) => headed(id)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.filter(({ text }) => text.includes('[recorded]'))).toHaveLength(1);
  expect([await votesIn(teller), await rewardsIn(teller)]).toEqual([STEVE, 1]);
  teller.clock.advance(26 * 3_600_000);
  await headed(EVENT_ID, payload({ eventId: 'next' }, { votedAt: '2026-06-02T12:00:00.000Z' }));
  await headed(EVENT_ID, payload({ eventId: 'soon' }, { votedAt: '2026-06-02T13:00:00.000Z' }));
  teller.clock.advance(89 * DAY - 26 * 3_600_000);
  expect((await headed(EVENT_ID)).text).toContain('[same-vote]');
  expect(await votesIn(teller)).toEqual([...STEVE, 'steve rewarded', 'steve cooldown']);
  expect(await rewardsIn(teller)).toBe(2);
});

test('a vote from before the first start is counted but not rewarded; one from the future is answered 503 and not recorded until its time has come', async () => {
  const teller = await receiving();
  await post(teller, payload({}, { votedAt: '2026-06-01T11:59:58.999Z' }));
  await post(teller, payload({ eventId: 'b' }, { votedAt: '2026-06-01T11:59:59.000Z', playerName: 'Alex' }));
  const ahead = payload({ eventId: 'c' }, { votedAt: '2026-06-01T12:10:01.001Z', playerName: 'Kim' });
  expect((await post(teller, ahead)).status).toBe(503);
  expect(await votesIn(teller)).toEqual(['steve before-start', 'alex rewarded']);
  expect(teller.log).toContainEqual(expect.objectContaining({ code: 'vote-early' }));
  teller.clock.advance(1);
  expect((await post(teller, ahead)).status).toBe(200);
});

test('RC-03: a test is answered 200 and leaves nothing behind', async () => {
  const teller = await receiving();
  const answer = { status: 200, text: expect.stringContaining('[test]') };
  for (const change of [{ test: true, eventId: 'test' }, { test: true }, { eventId: 'test' }])
    expect(await post(teller, payload(change))).toMatchObject(answer);
  expect([await votesIn(teller), await rewardsIn(teller)]).toEqual([[], 0]);
  expect(logOf(teller).map(({ level, code }) => `${level} ${code}`)).toEqual(
    Array(3).fill('info webhook-test'),
  );
});

test('RC-05: a vote pays the player that it names, and the user if its game has no players, whatever else it has or lacks', async () => {
  const teller = await receiving();
  const more = { username: 'Alex', avatarUrl: 'https://a.example/a.png', constructor: { a: [1] } };
  for (const [data, vote, change] of [
    [{ playerName: 'STEVE' }, 'steve rewarded'],
    [{ playerName: '.Steve' }, '.steve rewarded'],
    [{ playerName: null }, `${USER_ID} no-player`],
    [{ playerName: undefined, userId: '2' }, '2 no-player'],
    [{ game: 'hytale', playerName: null, userId: '3' }, '3 rewarded'],
    [{ listingType: 'bot', game: undefined, userId: '4' }, '4 rewarded'],
    // Unknown fields.
    [{ ...more, playerName: 'Ann' }, 'ann rewarded', { added: { deep: [null] }, username: 'Bob' }],
    // What only the sender needs.
    [{ playerName: 'B', nextVoteAt: null, weight: undefined }, 'b rewarded', { timestamp: undefined }],
    [{ playerName: 'C', votedAt: '2026-06-01T14:00:00+02:00' }, 'c rewarded'],
    [{ playerName: 'D', game: undefined }, 'd rewarded'],
    [{ playerName: 'E', game: 'a game that is not known yet' }, 'e rewarded'],
  ] as const) {
    const body = payload({ eventId: JSON.stringify(data), ...change }, data);
    expect((await post(teller, body)).status, vote).toBe(200);
    expect((await votesIn(teller)).at(-1)).toBe(vote);
  }
});

test('a body of exactly 64 KiB is read, and the trace keeps its first 4,096 characters', async () => {
  const teller = await receiving();
  const long = payload({ added: 'x'.repeat(64 * 1024 - payload({ added: '' }).length) });
  expect(Buffer.byteLength(long)).toBe(64 * 1024);
  expect((await post(teller, long)).status).toBe(200);
  expect(await votesIn(teller)).toEqual(STEVE);
  const { json } = await teller.run('explain', 'Steve', '--bytes', '--json');
  expect([json[0].received.length, json[0].received.slice(-3)]).toEqual([4_096, 'xx…']);
});

test('the path decides the site, with its own secret and listing, whatever the query; another method than POST is answered 405', async () => {
  const teller = await receiving();
  const other = payload({ eventId: 'other' }, { listingId: 'listing-2' });
  const path = '/hooks/other';
  expect((await post(teller, other, { path })).status).toBe(401);
  expect((await post(teller, other, { path, signed: signature(other, OTHER_SECRET) })).status).toBe(200);
  expect((await post(teller, VOTE, { path: '/hooks/list?from=here&x=?' })).status).toBe(200);
  expect(await votesOf(teller)).toMatchObject([{ site: 'Other.example' }, { site: 'List.example' }]);
  const unknowns = ['/', '/hooks', '/hooks/list/', '/hooks/List', '/hooks//list', '/hooks/%6cist'];
  for (const unknown of [...unknowns, '/__proto__'])
    expect((await post(teller, VOTE, { path: unknown })).status, unknown).toBe(404);
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
    const { status, headers } = await post(teller, '', { method });
    expect([status, headers.allow], method).toEqual([405, 'POST']);
  }
});

test('a delivery that is refused for good is answered and logged with the reason, and later ones are not affected', async () => {
  const teller = await receiving();
  const latin1 = Buffer.from(VOTE.replace('Steve', 'St\u00e9'), 'latin1');
  for (const [what, body, status, code] of [
    ['another listing', payload({}, { listingId: 'listing-2' }), 403, 'other-listing'],
    ['no JSON', '{"event":', 400, 'not-json'],
    ['nothing', '', 400, 'not-json'],
    ['bytes that are no UTF-8', latin1, 400, 'not-json'],
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
    ['an unknown prefix', payload({}, { playerName: '!Steve' }), 422, 'name-unknown-prefix'],
    ['a user id with spaces', payload({}, { userId: 'a b', playerName: null }), 422, 'user-not-allowed'],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1), 413, 'too-large'],
    ['half a MiB', ' '.repeat(512 * 1024), 413, 'too-large'],
  ] as const) {
    expect(await post(teller, body), what).toMatchObject({
      ...{ status, text: expect.stringContaining(`[${code}]`) },
    });
    expect(logOf(teller).at(-1), what).toMatchObject({
      ...{ code: `webhook-${code}`, fields: { service: 'List.example' } },
    });
    // Each refusal of another interval is logged.
    teller.clock.advance(10_000);
  }
  expect(logOf(teller)).toHaveLength(18);
  expect((await post(teller, VOTE)).status).toBe(200);
  expect(await votesIn(teller)).toEqual(STEVE);
});

test('[WH-9] 503 with Retry-After while the ledger stores nothing, with the problem in the log; the event is recorded when it is sent again', async () => {
  const teller = await receiving();
  const moveBack = moveLedgerAway(teller);
  const answer = await post(teller, VOTE);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
  expect(teller.log).toContainEqual(expect.objectContaining({ level: 'error', code: 'ledger-replaced' }));
  expect(logOf(teller)).toMatchObject([{ code: 'webhook-unable' }]);
  moveBack();
  expect((await post(teller, VOTE)).status).toBe(200);
  expect(await votesIn(teller)).toEqual(STEVE);
});

test('a vote for another game than the one in the config is accepted, and the difference is logged once', async () => {
  const teller = await receiving();
  const fivem = { game: 'fivem', playerName: null };
  expect((await post(teller, payload({}, fivem))).status).toBe(200);
  await post(teller, payload({ eventId: 'another' }, { ...fivem, userId: '7' }));
  expect(await votesIn(teller)).toEqual([`${USER_ID} rewarded`, '7 rewarded']);
  expect(logOf(teller)).toMatchObject([
    {
      ...{ level: 'warn', code: 'webhook-other-game' },
      sentence: naming('sites.List.example.game', 'minecraft', '"fivem"'),
    },
  ]);
});

test('rule 11: forged deliveries are one line per site, cause and 10 s, with a count and what to compare', async () => {
  const teller = await receiving();
  const forged = { signed: signature(VOTE, OTHER_SECRET) };
  for (let n = 0; n < 30; n++) await post(teller, VOTE, forged);
  for (let n = 0; n < 20; n++) await post(teller, VOTE, { signed: null });
  await post(teller, VOTE, { path: '/hooks/other', signed: null });
  expect(logOf(teller).map(({ level, code }) => `${level} ${code}`)).toEqual([
    'warn webhook-signature-wrong',
    'warn webhook-signature-missing',
    'warn webhook-signature-missing',
  ]);
  expect(logOf(teller)[0]).toMatchObject({
    fields: { service: 'List.example', sender: '127.0.0.1' },
    sentence: naming('sites.<name>.webhook.secret'),
  });
  teller.clock.advance(10_000);
  const sums = () => teller.log.filter(({ code }) => code === 'refusals');
  expect(sums().map(({ sentence }) => sentence)).toEqual([
    naming(
      ...['51', '10 s', '30 webhook-signature-wrong of List.example'],
      ...['20 webhook-signature-missing of List.example', '1 webhook-signature-missing of Other.example'],
    ),
  ]);
  teller.clock.advance(100_000);
  expect(sums()).toHaveLength(1);
});

test('rule 7: every refusal is counted by code, site and sender, and shown by `teller sites`', async () => {
  const teller = await receiving();
  for (let n = 0; n < 3; n++) await post(teller, VOTE, { signed: signature(VOTE, OTHER_SECRET) });
  await post(teller, payload({}, { playerName: 'Steve;op' }));
  await post(teller, VOTE, { path: '/nowhere?token=abc' });
  await post(teller, VOTE, { path: '/admin', signed: null, method: 'GET' });
  await post(teller, payload({}, { listingId: 'other\u001b[31m' }));
  await teller.pass(10_000, 1_000);
  const { json } = await teller.run('sites', '--json');
  const refusalsOf = (service: string | null) =>
    json
      .find((row: { service: string | null }) => row.service === service)
      .refusals.map((one: { code: string; count: number }) => `${one.count} ${one.code}`)
      .toSorted();
  expect(refusalsOf('List.example')).toEqual([
    '1 webhook-name-not-allowed',
    '1 webhook-other-listing',
    '3 webhook-signature-wrong',
  ]);
  expect(refusalsOf(null)).toEqual(['1 webhook-path-unknown']);
  const lines = logOf(teller);
  expect(lines.find(({ code }) => code === 'webhook-path-unknown')?.sentence).toEqual(naming('/nowhere'));
  expect(lines.find(({ code }) => code === 'webhook-not-found')).toMatchObject({ level: 'debug' });
  expect(lines.find(({ code }) => code === 'webhook-other-listing')?.sentence).toEqual(naming('other?[31m'));
});

test('no secret, signature or body is ever logged, answered or counted', async () => {
  const teller = await receiving();
  const texts: string[] = [];
  const bodies = [
    VOTE,
    '{',
    payload({ test: true }),
    payload({}, { listingId: 'x' }),
    payload({}, { playerName: '' }),
  ];
  for (const body of bodies)
    for (const signed of [signature(body), signature(body, OTHER_SECRET), null])
      texts.push((await post(teller, body, { signed })).text);
  await teller.stop();
  const { out } = await teller.run('sites', '--json');
  const said = JSON.stringify([teller.log, texts, out]);
  for (const part of ['whsec_', signature(VOTE).slice(7), 'votedAt', USER_ID])
    expect(said).not.toContain(part);
  expect(logOf(teller).length).toBeGreaterThan(5);
});

test('rule 12: deliveries to a host name that is listed, and to any address, are accepted; another name is answered 421, stores nothing, and the log names the key to change', async () => {
  const teller = await receiving();
  const to = async (host: string) => (await post(teller, VOTE, { headers: { Host: host } })).status;
  for (const host of [
    ...['rebound.example:8191', 'localhost.example', '127.0.0.1.nip.example', 'x@127.0.0.1', '0x7f.1'],
    '[::1',
  ])
    expect([host, await to(host)]).toEqual([host, 421]);
  expect(await votesIn(teller)).toEqual([]);
  expect(logOf(teller)).toMatchObject([
    {
      ...{ level: 'warn', code: 'webhook-host-not-listed' },
      sentence: naming('webhook.hosts', 'rebound.example'),
    },
  ]);
  for (const host of [
    ...['votes.example.com', 'Votes.Example.com:8191', 'votes.example.com.', 'votes.example.com.:8191'],
    ...['votes.example.com:', '127.0.0.1', '203.0.113.9:8191', '[2001:db8::1]:80', '[::1]', '[::1]:'],
    ...['localhost:1'],
  ])
    expect([host, await to(host)]).toEqual([host, 200]);
});
