import { describe, expect, test } from 'vitest';
import { EventPayload } from '../../protocol/webhook/events.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Events } from '../../src/notify/events/events.ts';
import { wantsOf } from '../../src/notify/events/receiver.ts';
import { postAnywhere } from '../../src/notify/webhook/post.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';
import { sink } from '../support/sink.ts';
import { type Operator, operator } from './operator.ts';

const TOKEN = 'very-secret-token';
const SECRET = 'the-secret-of-the-events';
const ON = ['vote.rewarded', 'vote.cooldown'];

/** An operator with a receiver that notes what it gets. */
async function told(more: object = {}) {
  const receiver = await sink();
  const url = `http://127.0.0.1:${receiver.port}/hook/${TOKEN}`;
  const one = await operator({ events: [{ url, secret: SECRET, on: ON, ...more }] });
  const { events } = await loadConfig(one.config);
  /** Sends what is due, as a running Teller does, until the receiver has so many requests. */
  const send = async (requests: number): Promise<void> => {
    const { ledger, clock } = one;
    const { log } = loggedLines();
    const post = postAnywhere(clock);
    const sending = new Events({ ledger, clock, random: systemRandom, log, post }, events);
    await ledger.useConfig({ today: 0, told: { receivers: wantsOf(events), at: clock.now() } });
    await sending.start();
    if (requests > 0) await receiver.request(requests);
    await sending.close();
  };
  await send(0);
  return { one, receiver, send };
}

const report = async ({ teller }: Operator, ...words: string[]) =>
  JSON.parse((await teller('events', ...words, '--json')).out)[0];

describe('events', () => {
  test('shows the receivers of the config, and the latest events, newest first', async () => {
    const { one, send } = await told({ name: 'plugin' });
    await one.vote('Steve', 'List');
    await one.vote('Steve', 'List', { at: '2026-06-01T13:00:00Z' });
    await send(2);
    const { out, exit } = await one.teller('events');
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual([
      naming(/^RECEIVER +WAITING +UNDELIVERED +DELIVERED/),
      naming(
        /^plugin +0 +0 +2 +0 +arrived 2026-06-01T13:00:00.000Z \(HTTP 204\) +vote.rewarded, vote.cooldown$/,
      ),
      naming(/^TIME +EVENT +WHAT/),
      naming(/^2026-06-01T13:00:00.000Z +vote.cooldown +Steve voted on List again/),
      naming(/^2026-06-01T12:00:00.000Z +vote.rewarded +Steve voted on List/),
    ]);
    const { receivers, events } = await report(one);
    expect(receivers).toEqual([
      {
        ...{ name: 'plugin', place: 'events[0]', form: 'json', on: ON },
        ...{ waiting: 0, undelivered: 0, delivered: 2, dropped: 0 },
        last: { at: '2026-06-01T13:00:00.000Z', status: 204, failure: null },
      },
    ]);
    expect(events.map((event: unknown) => EventPayload.parse(event).event)).toEqual([
      'vote.cooldown',
      'vote.rewarded',
    ]);
  });

  test('shows so many events, and only those of some kinds', async () => {
    const { one } = await told();
    await one.vote('Steve', 'List');
    await one.vote('Steve', 'List', { at: '2026-06-01T13:00:00Z' });
    await one.vote('Alex', 'List');
    const shown = async (...words: string[]) =>
      (await report(one, ...words)).events.map(({ event }: EventPayload) => event);
    expect(await shown('--limit', '2')).toEqual(['vote.rewarded', 'vote.cooldown']);
    expect(await shown('--on', 'vote.cooldown', 'party')).toEqual(['vote.cooldown']);
  });

  test('says why the last attempt failed and what to do, and resend sends the event again', async () => {
    const { one, receiver, send } = await told({ name: 'plugin' });
    receiver.answers = [404, 204];
    await one.vote('Steve', 'List');
    await send(1);
    const { out, err } = await one.teller('events');
    expect(out).toEqual(
      naming('failed 2026-06-01T12:00:00.000Z (HTTP 404)', '[url-not-found]', '`events[0].url`'),
    );
    expect(`${out}${err}`).not.toContain(TOKEN);
    expect((await report(one)).receivers).toMatchObject([
      { undelivered: 1, last: { status: 404, failure: { code: 'url-not-found' } } },
    ]);

    expect(await one.teller('events', 'resend')).toMatchObject({
      exit: 0,
      out: naming('1 event is sent again'),
    });
    await send(2);
    expect(receiver.requests.map(({ json }) => json.eventId)).toHaveLength(2);
    expect(receiver.requests[1]?.json).toEqual(receiver.requests[0]?.json);
    expect((await report(one)).receivers).toMatchObject([{ undelivered: 0, delivered: 1 }]);
    expect(await one.teller('events', 'resend', '--json')).toMatchObject({ exit: 0, out: '[{"events":0}]' });
  });

  test('without receivers says that none is told', async () => {
    const one = await operator();
    expect(await one.teller('events')).toMatchObject({
      ...{ exit: 0, out: naming('no `events`'), err: naming('no events are kept') },
    });
    expect(await report(one)).toEqual({ receivers: [], events: [] });
  });

  test('shows no URL, and knows nothing of a receiver whose URL is not available here', async () => {
    const one = await operator({ events: [{ url: 'file:events.url', secret: SECRET, on: ['party'] }] });
    expect((await report(one)).receivers).toMatchObject([{ name: 'events[0]', form: null, last: null }]);
    expect((await one.teller('events')).out).toEqual(naming('unknown: its URL cannot be read here'));
  });

  test.each([
    [['--on', 'vote.reward'], 'did you mean "vote.rewarded"'],
    [['--limit', '0'], '--limit'],
  ])('%j is wrong usage', async (words, fault) => {
    const { teller } = await operator();
    expect(await teller('events', ...words)).toMatchObject({ exit: 2, err: naming('[usage]', fault) });
  });
});

describe('events test', () => {
  test('posts a signed test event to each receiver, and exits 0', async () => {
    const { one, receiver } = await told({ name: 'plugin' });
    const { exit, out } = await one.teller('events', 'test');
    expect({ exit, out }).toEqual({ exit: 0, out: naming('plugin: the test event arrived (HTTP 204') });
    expect(receiver.requests[0]?.json).toMatchObject({ event: 'test', eventId: 'test', test: true });
    expect(receiver.requests[0]?.headers['x-service-event']).toBe('test');
  });

  test('exits 1 if one receiver does not get it, and says what to do', async () => {
    const [chat, plugin] = [await sink(), await sink(401)];
    const one = await operator({
      events: [
        { url: chat.url, format: 'chat', name: 'chat', on: ['party'] },
        { url: `${plugin.url}/${TOKEN}`, secret: SECRET, name: 'plugin', on: ['party'] },
      ],
    });
    const { exit, out, err } = await one.teller('events', 'test');
    expect(exit).toBe(1);
    expect(out).toEqual(
      naming('chat: the test event arrived', 'plugin: the test event did not', '[not-let-in]'),
    );
    expect(err).toEqual(naming('plugin: what to do', '`events[1].secret`'));
    expect(`${out}${err}`).not.toContain(TOKEN);
    expect(chat.requests[0]?.json).toMatchObject({ content: naming('This is a test') });
    expect(JSON.parse((await one.teller('events', 'test', '--json')).out)).toMatchObject([
      { receiver: 'chat', place: 'events[0]', form: 'both', kind: 'arrived' },
      { receiver: 'plugin', place: 'events[1]', form: 'json', kind: 'failed', code: 'not-let-in' },
    ]);
  });

  test('sends nothing without receivers (events-none) or without a URL (secret-missing)', async () => {
    const none = await operator();
    expect(await none.teller('events', 'test')).toMatchObject({ exit: 2, err: naming('[events-none]') });
    const lost = await operator({ events: [{ url: 'file:events.url', secret: SECRET, on: ['party'] }] });
    expect(await lost.teller('events', 'test')).toMatchObject({ exit: 2, err: naming('[secret-missing]') });
  });
});
