import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EventPayload } from '../../protocol/webhook/events.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, desk } from '../kit/place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { sink } from '../support/sink.ts';

const TOKEN = 'very-secret-token';
const SECRET = 'the-secret-of-the-events';
const ON = ['vote.rewarded', 'vote.cooldown'];
const NOON = /2026-06-01T12:00:0\d/;

/** A Teller with a receiver that notes what it gets. */
async function told(more: object = {}) {
  const receiver = await sink();
  const url = `http://127.0.0.1:${receiver.port}/hook/${TOKEN}`;
  const events = [{ url, secret: SECRET, on: ON, ...more }];
  const teller = await here({ events, rewards: [] }, new FakeClock('2026-06-01T12:00:00Z'));
  const untilGot = (count: number) => teller.until(() => receiver.requests.length === count);
  return { teller, receiver, untilGot };
}

const report = async ({ run }: Pick<Desk, 'run'>, ...words: string[]) =>
  (await run('events', ...words, '--json')).json[0];

const untilReport = (teller: Here, receiver: object) =>
  teller.until(async () => {
    const [found] = (await report(teller)).receivers;
    return Object.entries(receiver).every(([key, value]) => found[key] === value);
  });

describe('events', () => {
  test('shows the receivers of the config, and the latest events, newest first', async () => {
    const { teller, untilGot } = await told({ name: 'plugin' });
    for (const _ of [1, 2]) {
      await teller.vote({ player: 'Steve' });
      await teller.pass(1_000);
    }
    await untilGot(2);
    await untilReport(teller, { waiting: 0, delivered: 2 });
    const { out, exit } = await teller.run('events');
    expect([exit, ...out.split('\n')]).toEqual([
      0,
      naming(/^RECEIVER +WAITING +UNDELIVERED +DELIVERED/),
      naming(/^plugin +0 +0 +2 +0 +arrived /, NOON, /\(HTTP 204\) +vote.rewarded, vote.cooldown$/),
      naming(/^TIME +EVENT +WHAT/),
      naming(/^2026-06-01T12:00:01.000Z +vote.cooldown +Steve voted on List again/),
      naming(/^2026-06-01T12:00:00.000Z +vote.rewarded +Steve voted on List/),
    ]);
    const { receivers, events } = await report(teller);
    expect(receivers).toEqual([
      {
        ...{ name: 'plugin', place: 'events[0]', form: 'json', on: ON },
        ...{ waiting: 0, undelivered: 0, delivered: 2, dropped: 0 },
        last: { at: expect.stringMatching(NOON), status: 204, failure: null },
      },
    ]);
    const kinds = events.map((event: unknown) => EventPayload.parse(event).event);
    expect(kinds).toEqual(['vote.cooldown', 'vote.rewarded']);
    const shown = async (...words: string[]) =>
      (await report(teller, ...words)).events.map(({ event }: EventPayload) => event);
    expect(await shown('--limit', '1')).toEqual(['vote.cooldown']);
    expect(await shown('--on', 'vote.rewarded', 'party')).toEqual(['vote.rewarded']);
  });

  test('says why the last attempt failed and what to do, as check does, and resend sends the event again', async () => {
    const { teller, receiver, untilGot } = await told({ name: 'plugin' });
    const checked = async () => {
      const { json, out } = await teller.run('check', '--offline', '--json');
      expect(out).not.toContain(TOKEN);
      return json.filter(({ code }: { code: string }) => code.startsWith('events'));
    };
    expect(await checked()).toMatchObject([{ mark: 'ok', code: 'events' }]);
    receiver.answers = [404, 204];
    await teller.vote({ player: 'Steve' });
    await untilGot(1);
    await untilReport(teller, { undelivered: 1 });
    const { out, err } = await teller.run('events');
    expect(out).toEqual(naming('failed', NOON, '(HTTP 404)', '[url-not-found]', '`events[0].url`'));
    expect(`${out}${err}`).not.toContain(TOKEN);
    expect(await checked()).toMatchObject([
      {
        ...{ mark: 'warning', code: 'events-unsent', toDo: naming('teller events resend') },
        sentence: naming('plugin', 'url-not-found', '1 event will not'),
      },
    ]);

    expect(await teller.run('events', 'resend')).toMatchObject({
      ...{ exit: 0, out: naming('1 event is sent again') },
    });
    await untilGot(2);
    expect(receiver.requests[1]?.json).toEqual(receiver.requests[0]?.json);
    await untilReport(teller, { undelivered: 0, delivered: 1 });
    expect(await teller.run('events', 'resend', '--json')).toMatchObject({ exit: 0, out: '[{"events":0}]' });
  });

  test('without receivers says that none is told', async () => {
    const one = desk();
    expect(await one.run('events')).toMatchObject({
      ...{ exit: 0, out: naming('no `events`'), err: naming('no events are kept') },
    });
    expect(await report(one)).toEqual({ receivers: [], events: [] });
    expect((await one.run('check', '--offline', '--json')).out).not.toContain('"events');
  });

  test('shows no URL, and knows nothing of a receiver whose URL is not available here', async () => {
    const one = desk({ events: [{ url: 'file:events.url', secret: SECRET, on: ['party'] }] });
    expect((await report(one)).receivers).toMatchObject([{ name: 'events[0]', form: null, last: null }]);
    expect((await one.run('events')).out).toEqual(naming('unknown: its URL cannot be read here'));
  });

  test.each([
    [['--on', 'vote.reward'], 'did you mean "vote.rewarded"'],
    [['--limit', '0'], '--limit'],
  ])('%j is wrong usage', async (words, fault) => {
    expect(await desk().run('events', ...words)).toMatchObject({ exit: 2, err: naming('[usage]', fault) });
  });
});

describe('events test', () => {
  test('posts a signed test event to each receiver, and exits 0', async () => {
    const { teller, receiver } = await told({ name: 'plugin' });
    const { exit, out } = await teller.run('events', 'test');
    expect({ exit, out }).toEqual({ exit: 0, out: naming('plugin: the test event arrived (HTTP 204') });
    expect(receiver.requests[0]?.json).toMatchObject({ event: 'test', eventId: 'test', test: true });
    expect(receiver.requests[0]?.headers['x-service-event']).toBe('test');
  });

  test('exits 1 if one receiver does not get it, and says what to do', async () => {
    const [chat, plugin] = [await sink(), await sink(401)];
    const one = desk({
      events: [
        { url: chat.url, format: 'chat', name: 'chat', on: ['party'] },
        { url: `${plugin.url}/${TOKEN}`, secret: SECRET, name: 'plugin', on: ['party'] },
      ],
    });
    const { exit, out, err } = await one.run('events', 'test');
    expect([exit, out, err]).toEqual([
      1,
      naming('chat: the test event arrived', 'plugin: the test event did not', '[not-let-in]'),
      naming('plugin: what to do', '`events[1].secret`'),
    ]);
    expect(`${out}${err}`).not.toContain(TOKEN);
    expect(chat.requests[0]?.json).toMatchObject({ content: naming('This is a test') });
    expect((await one.run('events', 'test', '--json')).json).toMatchObject([
      { receiver: 'chat', place: 'events[0]', form: 'both', kind: 'arrived' },
      { receiver: 'plugin', place: 'events[1]', form: 'json', kind: 'failed', code: 'not-let-in' },
    ]);
  });

  test('sends nothing without receivers (events-none) or without a URL (secret-missing)', async () => {
    expect(await desk().run('events', 'test')).toMatchObject({ exit: 2, err: naming('[events-none]') });
    const lost = desk({ events: [{ url: 'file:events.url', secret: SECRET, on: ['party'] }] });
    expect(await lost.run('events', 'test')).toMatchObject({ exit: 2, err: naming('[secret-missing]') });
  });
});

describe('check, the receivers of events', () => {
  const own = { url: 'https://example.com/very-secret-path', on: ['party'], secret: 'very-secret-key' };

  async function checked(...events: readonly object[]) {
    const { json, out, exit } = await desk({ events }).run('check', '--offline', '--json');
    expect(out).not.toContain('very-secret');
    const found: readonly { mark: string; code: string; sentence: string }[] = json;
    const marksOf = (about: string) =>
      found.filter(({ sentence }) => sentence.includes(about)).map(({ mark, code }) => `${mark} ${code}`);
    return { exit, found, marksOf };
  }

  /** A file that every user can read. */
  function readable(text: string): string {
    const file = join(temporaryFolder(), 'events.secret');
    writeFileSync(file, text, { mode: 0o644 });
    return `file:${file}`;
  }

  test('says who is told of what', async () => {
    const url = readable('https://chat.example.com/very-secret-path');
    const { found } = await checked(own, { ...own, url, on: ['health', 'party'], name: 'ops' });
    expect(found.filter(({ code }) => code === 'events')).toMatchObject([
      {
        mark: 'ok',
        sentence: 'the receivers of events are example.com (party) and ops (health, party)',
      },
    ]);
  });

  test('finds their secrets that are missing, elsewhere or readable by others', async () => {
    const missing = await checked({ ...own, url: 'file:none' });
    expect([missing.exit, missing.marksOf('events[0].url')]).toEqual([2, ['problem secret-missing']]);
    const elsewhere = await checked({ ...own, url: 'env:TELLER_TEST_UNSET' });
    expect(elsewhere.marksOf('events[0].url')).toEqual(['warning secret-not-here']);
    const unsigned = await checked({ url: own.url, on: own.on });
    expect([unsigned.exit, unsigned.marksOf('events[0].secret')]).toEqual([2, ['problem secret-missing']]);
    const open = await checked({ ...own, secret: readable('very-secret-key') });
    expect(open.marksOf('events.secret')).toEqual(process.platform === 'win32' ? [] : ['warning secrets']);
  });
});
