import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventPayload } from '../../protocol/events.ts';
import { check } from '../kit/check.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { receiver } from '../kit/receiver.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

const TOKEN = 'very-secret-token';
const SECRET = 'the-secret-of-the-receiver';
const ON = ['vote.rewarded', 'vote.cooldown'];
const NOON = /2026-06-01T12:00:0\d/;
const LATER = /2026-06-02T15:0\d:\d\d\.\d{3}Z/;

/** A receiver, and where a config says that it is. */
async function told() {
  const to = await receiver();
  const entry = { url: `${to.url}/${TOKEN}`, secret: SECRET };
  return { to, entry };
}

/** A Teller with this config, and a receiver that notes what it gets. */
async function running(of: (entry: object) => object) {
  const { to, entry } = await told();
  const teller = await here({ ...of(entry), rewards: [] }, new FakeClock('2026-06-01T12:00:00Z'));
  const untilGot = (count: number) => teller.until(() => to.requests.length === count);
  return { teller, to, untilGot };
}

const report = async ({ run }: Pick<Desk, 'run'>, ...words: string[]) =>
  (await run('events', ...words, '--json')).json[0];

const untilReport = (teller: Here, wanted: object) =>
  teller.until(async () => {
    const [found] = (await report(teller)).receivers;
    return Object.entries(wanted).every(([key, value]) => found[key] === value);
  });

test('events shows the receivers of the config and the latest events, newest first, and why an attempt failed, as check does; resend sends that event again', async () => {
  const of = (entry: object) => ({ events: [{ ...entry, on: ON, name: 'plugin' }] });
  const { teller, to, untilGot } = await running(of);
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

  // An event that did not arrive is sent again when the operator says so.
  expect((await check(teller, '--offline')).marks(/^events/)).toEqual(['ok events']);
  to.answers = [404, 204];
  await teller.vote({ player: 'Alex' });
  await untilGot(3);
  await untilReport(teller, { undelivered: 1 });
  const failed = await teller.run('events');
  expect(failed.out).toEqual(naming('failed', NOON, '(HTTP 404)', '[url-not-found]', '`events[0].url`'));
  const unsent = (await check(teller, '--offline')).of('events-unsent');
  expect(unsent).toMatchObject([
    {
      ...{ mark: 'warning', toDo: naming('teller events resend') },
      sentence: naming('plugin', 'url-not-found', '1 event will not'),
    },
  ]);
  expect(`${failed.out}${failed.err}${JSON.stringify(unsent)}`).not.toContain(TOKEN);

  const resent = { exit: 0, out: naming('1 event is sent again') };
  expect(await teller.run('events', 'resend')).toMatchObject(resent);
  await untilGot(4);
  expect(to.requests[3]?.json).toEqual(to.requests[2]?.json);
  await untilReport(teller, { undelivered: 0, delivered: 3 });
  expect(await teller.run('events', 'resend', '--json')).toMatchObject({ exit: 0, out: '[{"events":0}]' });
});

test('events without receivers says that none is told and sends nothing (events-none), nor does alarms (alarms-none); of one whose URL is not available here nothing is known', async () => {
  const one = desk();
  const none = { exit: 0, out: naming('no `events`'), err: naming('no events are kept') };
  expect(await one.run('events')).toMatchObject(none);
  expect(await one.run('alarms')).toMatchObject({ exit: 0, out: naming('nobody is notified') });
  expect(await report(one)).toEqual({ receivers: [], events: [] });
  expect((await check(one, '--offline')).marks(/^(?:events|alarms)/)).toEqual([]);
  for (const [line, fault] of [
    ['events --on vote.reward', 'did you mean "vote.rewarded"'],
    ['events --limit 0', '--limit'],
  ] as const)
    expect(await one.run(...line.split(' '))).toEqual(refused(2, '[usage]', fault));
  for (const command of ['events', 'alarms'])
    expect(await one.run(command, 'test')).toEqual(refused(2, `[${command}-none]`));
  const url = 'file:nowhere.url';
  rewrite(one, { events: [{ url, secret: SECRET, on: ['party'] }], alarms: { url } });
  expect((await report(one)).receivers).toMatchObject([{ name: 'events[0]', form: null, last: null }]);
  expect((await one.run('events')).out).toEqual(naming('unknown: its URL cannot be read here'));
  for (const command of ['events', 'alarms'])
    expect(await one.run(command, 'test')).toEqual(refused(2, '[secret-missing]'));
});

test('events test posts a test event to each receiver, exits 1 if one does not get it, and says what to do', async () => {
  const [chat, plugin] = [await told(), await told()];
  const one = desk({
    events: [
      { url: chat.to.url, format: 'chat', name: 'chat', on: ['party'] },
      { ...plugin.entry, name: 'plugin', on: ['party'] },
    ],
  });
  const arrived = { exit: 0, out: naming('plugin: the test event arrived (HTTP 204') };
  expect(await one.run('events', 'test')).toMatchObject(arrived);
  expect(chat.to.requests[0]?.json).toMatchObject({ content: naming('This is a test') });
  expect(plugin.to.requests[0]?.json).toMatchObject({ event: 'test', eventId: 'test', test: true });
  expect(plugin.to.requests[0]?.headers['x-service-event']).toBe('test');
  plugin.to.answers = [401];
  const { exit, out, err } = await one.run('events', 'test');
  expect([exit, out, err]).toEqual([
    1,
    naming('chat: the test event arrived', 'plugin: the test event did not', '[not-let-in]'),
    naming('plugin: what to do', '`events[1].secret`'),
  ]);
  expect(`${out}${err}`).not.toContain(TOKEN);
  expect((await one.run('events', 'test', '--json')).json).toMatchObject([
    { receiver: 'chat', place: 'events[0]', form: 'both', kind: 'arrived' },
    { receiver: 'plugin', place: 'events[1]', form: 'json', kind: 'failed', code: 'not-let-in' },
  ]);
});

test('check says who is told of what, and finds secrets of receivers that are missing, elsewhere or readable by others', async () => {
  const own = { url: 'https://example.com/very-secret-path', on: ['party'], secret: 'very-secret-key' };
  const readable = (text: string): string => {
    const file = join(temporaryFolder(), 'events.secret');
    writeFileSync(file, text, { mode: 0o644 });
    return `file:${file}`;
  };
  const checked = async (...events: readonly object[]) => {
    const { exit, found } = await check(desk({ events }), '--offline');
    expect(JSON.stringify(found)).not.toContain('very-secret');
    return { exit, found };
  };
  const windows = process.platform === 'win32';
  const url = readable('https://chat.example.com/very-secret-path');
  const { found } = await checked(own, { ...own, url, on: ['health', 'party'], name: 'ops' });
  expect(found).toContainEqual(
    expect.objectContaining({
      ...{ mark: 'ok', code: 'events' },
      sentence: 'the receivers of events are example.com (party) and ops (health, party)',
    }),
  );
  // The exit is 1 where the only problem is that no Teller runs.
  for (const [change, about, exit, findings] of [
    [{ url: 'file:none' }, 'events[0].url', 2, ['problem secret-missing']],
    [{ url: 'env:TELLER_TEST_UNSET' }, 'events[0].url', 1, ['warning secret-not-here']],
    [{ secret: undefined }, 'events[0].secret', 2, ['problem secret-missing']],
    [{ secret: readable('very-secret-key') }, 'events.secret', 1, windows ? [] : ['warning secrets']],
  ] as const) {
    const one = await checked({ ...own, ...change });
    const named = one.found.filter(({ sentence }) => sentence.includes(about));
    expect([one.exit, named.map(({ mark, code }) => `${mark} ${code}`)]).toEqual([exit, findings]);
  }
});

test('alarms exits 1 while an alarm holds, and shows since when, what to do and what was notified, or why that failed, as check does', async () => {
  const { teller, to, untilGot } = await running((alarms) => ({ alarms }));
  const found = async () =>
    (await check(teller, '--offline')).found.filter(({ code }) => /^alarms/.test(code));
  expect(await found()).toMatchObject([{ mark: 'ok', code: 'alarms' }]);
  to.answers = [404, 204];
  // Its clock becomes doubtful.
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(26 * 3_600_000);
  await teller.vote({ player: 'Alex' });
  await untilGot(1);
  await teller.pass(1_000);
  const failed = await teller.run('alarms');
  expect(failed.out).toEqual(naming('failed attempts: 1', '[url-not-found]', 'HTTP 404', 'not yet'));
  const [finding] = await found();
  expect(finding).toMatchObject({ mark: 'warning', code: 'alarms-unsent' });
  expect(`${failed.out}${failed.err}${finding?.sentence}`).not.toMatch(/very-secret|127\.0\.0\.1/);

  // It is posted again an hour later.
  teller.clock.advance(3_600_000);
  await untilGot(2);
  await teller.pass(1_000);
  const { out, exit } = await teller.run('alarms');
  expect([exit, ...out.split('\n').slice(0, 4)]).toEqual([
    1,
    naming(/^ALARM +SINCE +NOTIFIED +WHAT/),
    naming(/^clock-doubtful {2}2026-06-02T14:00:\S+ {2}2026-06-02T15:0\d:\S+ {2}The clock/, '→ Look'),
    naming(/^the last message arrived at/, LATER),
    naming(/^2026-06-02T15:0\d:\S+ {2}The clock of Teller’s machine is doubtful/),
  ]);

  await teller.run('clock', 'release', '--yes');
  await untilGot(3);
  await teller.pass(1_000);
  const after = await teller.run('alarms', '--json');
  const until = expect.stringMatching(LATER);
  expect([after.exit, after.json]).toMatchObject([
    0,
    [
      {
        ...{ configured: true, form: 'json', alarms: [], waiting: null },
        lastPost: { code: 'arrived', status: 204, failure: null },
        sent: [
          { began: [], ended: [{ alarm: 'clock-doubtful', until }] },
          { began: [{ alarm: 'clock-doubtful', until: null }], ended: [] },
        ],
      },
    ],
  ]);
});

test('alarms test posts a signed test event, shows what came back, and exits 1 with a code if that is a refusal, without the URL', async () => {
  const { to, entry } = await told();
  const { run } = desk({ alarms: entry });
  to.answers = [
    (response) => response.end('thank you'),
    (response) => response.writeHead(403).end(`no hook at /hook/${TOKEN}`),
  ];
  const sent = { exit: 0, out: naming('arrived (HTTP 200', 'the receiver answered: thank you') };
  expect(await run('alarms', 'test')).toMatchObject(sent);
  const [request] = to.requests;
  expect(request?.json).toMatchObject({ event: 'alarms.changed', eventId: 'test', test: true });
  expect(request?.headers['x-webhook-signature']).toMatch(/^sha256=/);
  const { out, err, exit } = await run('alarms', 'test');
  expect([exit, out]).toEqual([1, naming('[not-let-in]', 'HTTP 403', 'no hook at (hidden)')]);
  const { out: printed, json } = await run('alarms', 'test', '--json');
  expect(json).toMatchObject([{ kind: 'failed', code: 'not-let-in', status: 403 }]);
  expect(`${out}${err}${printed}`).not.toContain(TOKEN);
});
