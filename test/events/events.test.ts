import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventPayload, eventData } from '../../protocol/events.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook.ts';
import { freeDisk } from '../kit/disk.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { type ReceiverAnswer, receiver } from '../kit/receiver.ts';
import { FakeClock } from '../support/fake-clock.ts';

const [SECOND, _MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const NOON = '2026-06-01T12:00:00Z';
const SECRET = 'the-secret-of-the-plugin';
const VOTES = ['vote.rewarded', 'vote.cooldown'];

interface State {
  readonly waiting: number;
  readonly undelivered: number;
  readonly delivered: number;
  readonly last: {
    readonly status: number | null;
    readonly failure: { readonly code: string } | null;
  } | null;
}

interface Start {
  readonly answers?: readonly ReceiverAnswer[];
  readonly on?: readonly string[];
  readonly format?: 'chat';
}

/** A Teller that posts its events to a receiver, which answers like this. */
async function telling({ answers = [204], ...more }: Start = {}) {
  const to = await receiver(...answers);
  const game = await rconGame();
  const isChat = 'format' in more;
  const entry = { url: to.url, on: VOTES, name: 'plugin', ...(isChat ? {} : { secret: SECRET }), ...more };
  const reward = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
  /** Its config, with these receivers. */
  const config0 = (...events: readonly object[]) => ({
    ...{ gameServers: { main: game.entry }, rewards: [reward], timeZone: 'UTC', events },
    party: [{ name: 'all', every: 3, commands: ['say party'] }],
  });
  const teller = await here(config0(entry), new FakeClock(NOON));
  /** What `teller events` says of the first receiver. */
  const state = async (): Promise<State> => (await teller.run('events', '--json')).json[0].receivers[0];
  const untilState = (is: (state: State) => boolean, stepMs = SECOND): Promise<void> =>
    teller.until(async () => is(await state()), stepMs);
  return Object.assign(teller, { receiver: to, game, config0, entry, state, untilState });
}

const linesOf = ({ log }: Here) => log.filter(({ code }) => code.startsWith('events-'));

test('a program gets each event once, within a second, signed, in the form that is documented', async () => {
  const teller = await telling();
  await teller.vote({ player: 'Alex', site: 'List' });
  await teller.pass(SECOND, 100);
  await teller.until(() => teller.receiver.requests.length === 1, 50);
  expect(teller.clock.monotonic()).toBeLessThan(2 * SECOND);
  await teller.untilState(({ delivered }) => delivered === 1);
  const { requests } = teller.receiver;
  const [{ headers, body, json } = { headers: {}, body: Buffer.alloc(0), json: null }] = requests;
  expect(requests).toHaveLength(1);
  expect(EventPayload.parse(json)).toEqual({
    ...{ event: 'vote.rewarded', version: 1, test: false, timestamp: '2026-06-01T12:00:00.000Z' },
    eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    data: {
      vote: {
        ...{ id: 1, site: 'List', player: 'Alex', userId: null, channel: 'listener-v2' },
        ...{ votedAt: '2026-06-01T12:00:00.000Z', receivedAt: '2026-06-01T12:00:00.000Z' },
      },
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      rewards: ['thanks'],
      paidElsewhere: false,
    },
  });
  expect(headers).toMatchObject({
    'x-service-event': 'vote.rewarded',
    'x-service-event-id': json.eventId,
    'x-service-attempt': '1',
    'user-agent': 'Teller-Events/1',
  });
  const signature = String((headers as Record<string, unknown>)[SIGNATURE_HEADER.toLowerCase()]);
  expect(verifySignature(signature, body, SECRET)).toBe(true);
  // The next one says when another vote counts.
  teller.clock.jump(Date.parse('2026-06-01T12:01:00Z') - teller.clock.now());
  await teller.vote({ player: 'Alex' });
  await teller.untilState(({ delivered }) => delivered === 2);
  expect(EventPayload.parse(requests[1]?.json)).toMatchObject({
    ...{ event: 'vote.cooldown', timestamp: '2026-06-01T12:01:00.000Z' },
    data: { vote: { id: 2 }, nextVoteAt: '2026-06-02T12:00:00.000Z', rewards: [] },
  });
});

test('an event is sent again with the same ID until it arrives, after 10 seconds, a minute and so on', async () => {
  const teller = await telling({ answers: [503, 500, 204] });
  await teller.vote({ player: 'Alex' });
  await teller.untilState(({ last }) => last?.failure?.code === 'receiver-failed', 200);
  const { requests } = teller.receiver;
  await teller.pass(8 * SECOND, SECOND);
  expect(requests).toHaveLength(1);
  await teller.until(() => requests.length === 2, SECOND);
  await teller.pass(55 * SECOND, SECOND);
  expect(requests).toHaveLength(2);
  await teller.untilState(({ delivered }) => delivered === 1, 2 * SECOND);
  expect(new Set(requests.map(({ json }) => json.eventId)).size).toBe(1);
  expect(requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
  expect(new Set(requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
});

test('a receiver that answers 408, 429 or a redirect is asked again', async () => {
  const teller = await telling({ answers: [429, 408, 302, 204] });
  await teller.vote({ player: 'Alex' });
  await teller.untilState(({ delivered }) => delivered === 1, 5 * SECOND);
  expect(teller.receiver.requests).toHaveLength(4);
});

test('a receiver that is down is one line in the log, one more where an event is given up, and one when it is back', async () => {
  const broken: ReceiverAnswer = (response) => response.destroy();
  const teller = await telling({ answers: [503, broken, 503, 500, 204] });
  for (const player of ['Alex', 'Steve']) await teller.vote({ player });
  await teller.untilState(({ delivered }) => delivered === 2, 5 * SECOND);
  expect(linesOf(teller).map(({ code }) => code)).toEqual(['events-unsent', 'events-sent']);
  expect(JSON.stringify(linesOf(teller))).not.toContain('127.0.0.1');
  teller.receiver.answers = [503, 404, 204];
  await teller.vote({ player: 'Sasha' });
  await teller.untilState(({ waiting }) => waiting === 0, 2 * SECOND);
  await teller.vote({ player: 'Robin' });
  await teller.untilState(({ delivered }) => delivered === 3);
  expect(linesOf(teller).slice(2)).toMatchObject([
    { code: 'events-unsent', fields: { reason: 'receiver-failed' } },
    { code: 'events-unsent', fields: { reason: 'url-not-found' } },
    { code: 'events-sent' },
  ]);
});

test('an event that Teller was sending when it stopped is sent again, with its ID', async () => {
  const teller = await telling({ answers: [() => {}, 204] });
  await teller.vote({ player: 'Alex' });
  await teller.until(() => teller.receiver.requests.length === 1, 200);
  let isStopped = false;
  const before = teller.clock.monotonic();
  void teller.stop().then(() => (isStopped = true));
  await teller.until(() => isStopped);
  expect(teller.clock.monotonic() - before).toBeGreaterThanOrEqual(2 * SECOND);
  await teller.restart();
  await teller.untilState(({ delivered }) => delivered === 1);
  const [first, second] = teller.receiver.requests;
  expect(second?.json.eventId).toBe(first?.json.eventId);
});

test('grant.delivered and grant.held say what was to be paid, for which vote, and why; party which one, which time, and whose vote reached it', async () => {
  const teller = await telling({ on: ['grant.delivered', 'grant.held', 'party'] });
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered');
  teller.game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilState(({ delivered }) => delivered === 2);
  const payloads = teller.receiver.requests.map(({ json }) => EventPayload.parse(json));
  for (const [event, state, reason, id, player] of [
    ['grant.delivered', 'delivered', null, 1, 'Alex'],
    ['grant.held', 'held', 'closed', 2, 'Steve'],
  ] as const)
    expect(payloads.find((payload) => payload.event === event)).toMatchObject({
      data: {
        grant: {
          ...{ id, reward: 'thanks', server: 'main', player, userId: null, state, reason },
          commands: [`say ${player} voted`],
        },
        vote: { id, site: 'List' },
      },
    });
  await teller.vote({ player: 'Robin' });
  const party = () => teller.receiver.requests.find(({ json }) => json.event === 'party');
  await teller.until(() => party() !== undefined, SECOND);
  expect(EventPayload.parse(party()?.json)).toMatchObject({
    data: { party: 'all', number: 1, votes: 3, vote: { id: 3, player: 'Robin' } },
  });
});

test('vote.refused sums up an hour when it is over', async () => {
  const teller = await telling({ on: ['vote.refused'] });
  for (let n = 0; n < 7; n++)
    await teller.vote({ player: 'Alex', token: 'a-wrong-token-of-thirty-two-letters' });
  await teller.pass(20 * SECOND, SECOND);
  teller.clock.advance(HOUR);
  await teller.untilState(({ delivered }) => delivered === 1, 10 * SECOND);
  expect(EventPayload.parse(teller.receiver.requests[0]?.json)).toMatchObject({
    event: 'vote.refused',
    data: {
      ...{ from: '2026-06-01T12:00:00.000Z', until: '2026-06-01T13:00:00.000Z', total: 7, others: 0 },
      refusals: [{ code: 'v2-signature', site: 'List', count: 7 }],
    },
  });
});

test('health says when an alarm begins and when it is over, once each, also over a restart and without `alarms`', async () => {
  const disk = freeDisk();
  const teller = await telling({ on: ['health'] });
  await teller.pass(20 * SECOND, SECOND);
  expect(teller.receiver.requests).toEqual([]);
  disk.mib = 1_000;
  await teller.untilState(({ delivered }) => delivered === 1);
  await teller.restart();
  await teller.pass(40 * SECOND, SECOND);
  disk.mib = 2_000;
  await teller.untilState(({ delivered }) => delivered === 2);
  const [began, over] = teller.receiver.requests.map(({ json }) => EventPayload.parse(json).data);
  const alarm = { alarm: 'disk-low', subject: null };
  expect(began).toMatchObject({
    ...{ ...alarm, state: 'began', until: null },
    sentence: 'The disk of the ledger has been nearly full since 12:00 UTC: only 1,000 MiB are free.',
    toDo: 'Free some space. When the disk is full, no vote can be stored.',
  });
  expect(over).toMatchObject({
    ...{ ...alarm, state: 'over', since: (began as { since: string }).since, until: expect.any(String) },
    ...{ sentence: 'The disk of the ledger has room again: 2,000 MiB are free.', toDo: '' },
  });
  disk.mib = 10;
  await teller.untilState(({ delivered }) => delivered === 3);
});

test('a receiver that wants health later is told of what holds then, and without one nothing is watched', async () => {
  const disk = freeDisk(10);
  const teller = await telling();
  await teller.pass(40 * SECOND, SECOND);
  expect(teller.receiver.requests).toEqual([]);
  expect((await teller.run('alarms', '--json')).json[0].alarms).toEqual([]);
  expect(disk.mib).toBe(10);
  await teller.reload(teller.config0({ ...teller.entry, on: ['health'] }));
  await teller.untilState(({ delivered }) => delivered === 1);
  expect(teller.receiver.requests[0]?.json.data).toMatchObject({ state: 'began', alarm: 'disk-low' });
});

test('a chat channel gets what happens in a second as one message, which mentions nobody', async () => {
  const teller = await telling({ format: 'chat' });
  for (const player of ['Alex', 'St_eve']) await teller.vote({ player });
  await teller.untilState(({ delivered }) => delivered === 2);
  const [{ json, headers } = { json: null, headers: {} }] = teller.receiver.requests;
  expect(
    teller.receiver.requests
      .map((one) => one.json.content)
      .join('\n\n')
      .split('\n\n'),
  ).toEqual(['Alex voted on List and earned thanks.', String.raw`St\_eve voted on List and earned thanks.`]);
  expect(json).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(headers).not.toHaveProperty(SIGNATURE_HEADER.toLowerCase());
});

test('a chat channel gets one message at a time, and Teller waits as long as it asks for', async () => {
  const busy: ReceiverAnswer = (response) => response.writeHead(429, { 'Retry-After': '15' }).end();
  const teller = await telling({ format: 'chat', answers: [busy, 204] });
  await teller.vote({ player: 'Alex' });
  await teller.untilState(({ last }) => last?.failure?.code === 'ask-later', 200);
  await teller.pass(12 * SECOND, SECOND);
  expect(teller.receiver.requests).toHaveLength(1);
  await teller.until(() => teller.receiver.requests.length === 2, SECOND);
});

test('a reload tells a new receiver from then on, and posts nothing more to one that is gone', async () => {
  const teller = await telling({ answers: [503] });
  const other = await receiver();
  await teller.vote({ player: 'Alex' });
  await teller.until(() => teller.receiver.requests.length === 1, 200);
  await teller.reload(teller.config0({ url: other.url, secret: SECRET, on: VOTES }));
  await teller.vote({ player: 'Steve' });
  await teller.until(() => other.requests.length === 1, 200);
  await teller.pass(20 * SECOND, SECOND);
  expect(other.requests.map(({ json }) => json.data.vote.player)).toEqual(['Steve']);
  expect(teller.receiver.requests).toHaveLength(1);
  await teller.reload(teller.config0(teller.entry));
  expect(await teller.state()).toMatchObject({ waiting: 0, delivered: 0 });
});

test('a reload that only changes the name or the kinds of a receiver loses nothing', async () => {
  const teller = await telling({ answers: [503, 204] });
  await teller.vote({ player: 'Alex' });
  await teller.until(() => teller.receiver.requests.length === 1, 200);
  await teller.reload(teller.config0({ ...teller.entry, name: 'other', on: ['party'] }));
  await teller.untilState(({ delivered }) => delivered === 1);
  const kinds = teller.receiver.requests.map(({ json }) => json.event);
  expect(kinds).toEqual(['vote.rewarded', 'vote.rewarded']);
});

const page = readFileSync(join(import.meta.dirname, '../../docs/developers/events.md'), 'utf8');
const examples = [...page.matchAll(/```text\n(\{[^`]*)```/g)].map(([, text = '']) => JSON.parse(text));

test('every example of the page for developers is an event as it is sent', () => {
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(EventPayload.parse(example)).toEqual(example);
});

test('the page names every kind of event', () => {
  const [, table = ''] = page.split('## What is told');
  // Without its heading.
  const named = [...table.matchAll(/^\| `([a-z.]+)` \|/gm)].map(([, kind]) => kind).slice(1);
  expect(named).toEqual(Object.keys(eventData));
});
