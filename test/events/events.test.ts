import { describe, expect, onTestFinished, test } from 'vitest';
import { EventPayload } from '../../protocol/webhook/events.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import { type EventReceiver, Secret } from '../../src/config/config.ts';
import { EVENT_KINDS } from '../../src/core/event-kind.ts';
import { Events } from '../../src/notify/events/events.ts';
import { wantsOf } from '../../src/notify/events/receiver.ts';
import { postAnywhere } from '../../src/notify/webhook/post.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { party, rulesWith } from '../support/parties.ts';
import { type SinkAnswer, sink } from '../support/sink.ts';
import { arrival, at } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const SECRET = 'the-secret-of-the-plugin';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const receiverAt = (url: string, more: Partial<EventReceiver> = {}): EventReceiver => ({
  ...{ url: new Secret(url), on: EVENT_KINDS, format: 'json', secret: new Secret(SECRET), name: 'plugin' },
  ...more,
});

/** Events over a real ledger, posted to a real receiver. */
async function start({ answers = [204] as readonly SinkAnswer[], ...more }: Start = {}) {
  const { ledger } = freshLedger();
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const { log, lines } = loggedLines();
  const receiver = await sink(...answers);
  const entry = receiverAt(receiver.url, more);
  // A request is given its ten seconds by real time: a slow machine would look like a slow receiver.
  const parts = { ledger, clock, random: systemRandom, log, post: postAnywhere(systemClock) };
  const use = (entries: readonly EventReceiver[]): Promise<void> =>
    ledger.useConfig({ today: 0, told: { receivers: wantsOf(entries), at: clock.now() } });
  const apply = async (events: Events, entries: readonly EventReceiver[]): Promise<void> => {
    await use(entries);
    events.apply(entries);
  };
  const begin = async (entries: readonly EventReceiver[] = [entry]): Promise<Events> => {
    const events = new Events(parts, entries);
    onTestFinished(() => events.close());
    await use(entries);
    return events;
  };
  const events = await begin();
  /** Lets time pass until something is as expected. */
  const until = (isSo: () => boolean | Promise<boolean>, stepMs = SECOND): Promise<void> =>
    expect
      .poll(
        async () => {
          if (await isSo()) return true;
          clock.advance(stepMs);
          return isSo();
        },
        { interval: 5, timeout: 10_000 },
      )
      .toBe(true);
  const states = () => ledger.receiverStates();
  const cast = (...players: readonly string[]) =>
    record(
      ledger,
      players.map((player) => arrival({ player, receivedAt: clock.now(), claim: null })),
      rulesFor(THANKS),
    );
  return { ...{ ledger, clock, lines, receiver, entry, events, begin, until, states, cast, apply } };
}

interface Start extends Partial<EventReceiver> {
  readonly answers?: readonly SinkAnswer[];
}

const contentOf = ({ json }: { readonly json: unknown }): string => (json as { content: string }).content;

describe('a program', () => {
  test('gets each event once, signed, in the form that is documented', async () => {
    const { events, receiver, until, states, cast } = await start();
    await cast('Alex');
    await events.start();
    await until(async () => (await states())[0]?.delivered === 1);
    const [request] = receiver.requests;
    expect(receiver.requests).toHaveLength(1);
    expect(EventPayload.parse(request?.json)).toEqual({
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
    expect(request?.headers).toMatchObject({
      'x-service-event': 'vote.rewarded',
      'x-service-event-id': request?.json.eventId,
      'x-service-attempt': '1',
      'user-agent': 'Teller-Events/1',
    });
    const signature = String(request?.headers[SIGNATURE_HEADER.toLowerCase()]);
    expect(verifySignature(signature, request?.body ?? Buffer.alloc(0), SECRET)).toBe(true);
  });

  test('gets what happened before Teller began to post, and what happens later within a second', async () => {
    const { events, receiver, clock, cast } = await start();
    await cast('Alex', 'Steve');
    await events.start();
    await receiver.request(2);
    await cast('Robin');
    clock.advance(SECOND);
    await receiver.request(3);
    const players = receiver.requests.map(({ json }) => (json.data['vote'] as { player: string }).player);
    expect(players.slice(0, 2).toSorted()).toEqual(['Alex', 'Steve']);
    expect(players[2]).toBe('Robin');
  });

  test('gets an event again with the same ID until it arrives, after 10 seconds, a minute and so on', async () => {
    const { events, receiver, clock, until, states, cast } = await start({ answers: [503, 500, 204] });
    await cast('Alex');
    await events.start();
    await receiver.request(1);
    await until(async () => (await states())[0]?.last?.reason === 'receiver-failed', 0);
    clock.advance(9 * SECOND);
    expect(receiver.requests).toHaveLength(1);
    await until(() => receiver.requests.length === 2, 500);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(10 * SECOND);
    await until(() => receiver.requests.length === 3, MINUTE / 2);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(70 * SECOND);
    await until(async () => (await states())[0]?.delivered === 1);
    expect(new Set(receiver.requests.map(({ json }) => json.eventId)).size).toBe(1);
    expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
  });

  test.each([
    [404, 'url-not-found'],
    [401, 'not-let-in'],
    [422, 'message-refused'],
  ])('that answers %d is not asked again, until the operator orders it', async (status, reason) => {
    const { events, receiver, until, states, cast, ledger, clock } = await start({ answers: [status, 204] });
    await cast('Alex');
    await events.start();
    await until(async () => (await states())[0]?.undelivered === 1);
    expect((await states())[0]?.last).toMatchObject({ status, reason });
    expect(await ledger.resendEvents(clock.now())).toBe(1);
    await until(async () => (await states())[0]?.delivered === 1);
    expect(receiver.requests).toHaveLength(2);
  });

  test.each([429, 408, 302])('that answers %d is asked again', async (status) => {
    const { events, receiver, until, states, cast } = await start({ answers: [status, 204] });
    await cast('Alex');
    await events.start();
    await until(async () => (await states())[0]?.delivered === 1);
    expect(receiver.requests).toHaveLength(2);
  });

  test('that is down is one line in the log, and one more when it is back', async () => {
    const broken: SinkAnswer = (response) => response.destroy();
    const { events, lines, until, states, cast } = await start({ answers: [503, broken, 503, 500, 204] });
    await cast('Alex', 'Steve');
    await events.start();
    await until(async () => (await states())[0]?.delivered === 2, 10 * SECOND);
    expect(lines.map(({ code }) => code)).toEqual(['events-unsent', 'events-sent']);
    expect(JSON.stringify(lines)).not.toContain('127.0.0.1');
  });

  test('that is down is one more line where an event is given up', async () => {
    const { events, lines, until, states, cast } = await start({ answers: [503, 404, 204] });
    await cast('Alex');
    await events.start();
    await until(async () => (await states())[0]?.waiting === 0, 10 * SECOND);
    await cast('Steve');
    await until(async () => (await states())[0]?.delivered === 1);
    expect(lines).toMatchObject([
      { code: 'events-unsent', fields: { reason: 'receiver-failed' } },
      { code: 'events-unsent', fields: { reason: 'url-not-found' } },
      { code: 'events-sent' },
    ]);
  });

  test('gets an event again that Teller was sending when it stopped', async () => {
    const stalled: SinkAnswer = () => {};
    const { events, receiver, clock, begin, until, states, cast } = await start({ answers: [stalled, 204] });
    await cast('Alex');
    await events.start();
    await receiver.request(1);
    let isClosed = false;
    void events.close().then(() => (isClosed = true));
    await until(() => isClosed);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(2 * SECOND);
    await (await begin()).start();
    await until(async () => (await states())[0]?.delivered === 1);
    const [first, second] = receiver.requests;
    expect(second?.json.eventId).toBe(first?.json.eventId);
  });
});

describe('each kind of event', () => {
  async function told(happens: (started: Awaited<ReturnType<typeof start>>) => Promise<unknown>) {
    const started = await start();
    await happens(started);
    await started.events.start();
    await started.until(async () => (await started.states())[0]?.waiting === 0);
    return started.receiver.requests.map(({ json }) => EventPayload.parse(json));
  }

  const settle = ({ ledger }: Awaited<ReturnType<typeof start>>, state: 'delivered' | 'held') =>
    ledger.claim({ grantId: 1, position: 0, player: 'Alex', uuid: null, now: NOON }).then(() =>
      ledger.settle({
        ...{ grantId: 1, position: 0, state, dueAt: NOON, endedAt: NOON },
        outcome: state === 'held' ? { kind: 'unknown', reason: 'closed' } : { kind: 'delivered', reply: '' },
        reason: state === 'held' ? { code: 'closed' } : null,
      }),
    );

  test('vote.cooldown says when the next vote counts', async () => {
    const payloads = await told(async ({ cast, clock }) => {
      await cast('Alex');
      clock.advance(MINUTE);
      await cast('Alex');
    });
    expect(payloads.find(({ event }) => event === 'vote.cooldown')).toMatchObject({
      timestamp: '2026-06-01T12:01:00.000Z',
      data: { vote: { id: 2 }, nextVoteAt: '2026-06-02T12:00:00.000Z', rewards: [] },
    });
  });

  test.each([
    ['grant.delivered', 'delivered', null],
    ['grant.held', 'held', 'closed'],
  ] as const)('%s says what was to be paid, for which vote, and why', async (event, state, reason) => {
    const payloads = await told(async (started) => {
      await started.cast('Alex');
      await settle(started, state);
    });
    expect(payloads.find((payload) => payload.event === event)).toMatchObject({
      data: {
        grant: {
          ...{ id: 1, reward: 'thanks', server: 'main', player: 'Alex', userId: null, state, reason },
          commands: ['say Alex voted'],
        },
        vote: { id: 1, site: 'List' },
      },
    });
  });

  test('party says which one, which time, and whose vote reached it', async () => {
    const payloads = await told(({ ledger }) =>
      record(
        ledger,
        ['Alex', 'Steve', 'Robin'].map((player) => arrival({ player })),
        rulesWith(party('all')),
      ),
    );
    expect(payloads.find(({ event }) => event === 'party')).toMatchObject({
      data: { party: 'all', number: 1, votes: 3, vote: { id: 3, player: 'Robin' } },
    });
  });

  test('vote.refused sums up an hour when it is over', async () => {
    const refusal = { code: 'bad-signature', service: 'List', sender: '192.0.2.1', count: 7, lastAt: NOON };
    const payloads = await told(async ({ ledger, clock }) => {
      await ledger.countRefusals([refusal]);
      clock.advance(62 * MINUTE);
      await ledger.summariseRefusals(clock.now());
    });
    expect(payloads).toMatchObject([
      {
        event: 'vote.refused',
        data: {
          ...{ from: '2026-06-01T12:00:00.000Z', until: '2026-06-01T13:00:00.000Z', total: 7, others: 0 },
          refusals: [{ code: 'bad-signature', site: 'List', count: 7 }],
        },
      },
    ]);
  });
});

describe('a chat channel', () => {
  const CHAT = { format: 'chat', secret: null } as const;

  test('gets what happens in a second as one message, which mentions nobody', async () => {
    const { events, receiver, cast } = await start(CHAT);
    await cast('Alex', '@everyone', 'St_eve');
    await events.start();
    const { json, headers } = await receiver.request(1);
    expect(contentOf({ json }).split('\n\n')).toEqual([
      'Alex voted on List and earned thanks.',
      '@everyone voted on List and earned thanks.',
      String.raw`St\_eve voted on List and earned thanks.`,
    ]);
    expect(json).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(headers).not.toHaveProperty(SIGNATURE_HEADER.toLowerCase());
  });

  test('gets one message at a time, and waits as long as it asks for', async () => {
    const busy: SinkAnswer = (response) => response.writeHead(429, { 'Retry-After': '15' }).end();
    const { events, receiver, clock, until, states, cast } = await start({ ...CHAT, answers: [busy, 204] });
    await cast('Alex');
    await events.start();
    await until(async () => (await states())[0]?.last?.reason === 'ask-later', 0);
    await until(() => receiver.requests.length === 2, 500);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(15 * SECOND);
  });
});

describe('a reload', () => {
  test('tells a new receiver from then on, and posts nothing more to one that is gone', async () => {
    const { events, entry, receiver, cast, states, apply } = await start();
    const other = await sink();
    await cast('Alex');
    await apply(events, [receiverAt(other.url, { on: ['vote.rewarded'] })]);
    await cast('Steve');
    await events.start();
    const { json } = await other.request(1);
    expect(json.data).toMatchObject({ vote: { player: 'Steve' } });
    expect(receiver.requests).toEqual([]);
    await apply(events, [entry]);
    expect(await states()).toMatchObject([{ waiting: 0, delivered: 0 }]);
  });

  test('that only changes the name or the kinds of a receiver loses nothing', async () => {
    const { events, entry, receiver, cast, apply } = await start();
    await cast('Alex');
    await apply(events, [{ ...entry, name: 'other', on: ['party'] }]);
    await events.start();
    expect((await receiver.request(1)).json.event).toBe('vote.rewarded');
  });
});
