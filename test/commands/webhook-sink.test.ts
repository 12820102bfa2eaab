import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { webhookCommand } from '../../src/commands/webhook.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { naming } from '../support/naming.ts';
import {
  AnnouncingClock,
  DELIVERY_ID,
  EVENT_ID,
  payload,
  post,
  SECRET,
  signature,
} from '../webhook-tools/started-sink.ts';
import { runCommand } from './run-command.ts';
import { partsOf, refused, start } from './running-sink.ts';

const BODY = payload();

test('prints its URL in the first line, and exits 0 after a signal', async () => {
  const { sink, printed, stop, err } = await start([]);
  expect(sink.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await printed(1)).toEqual([`{"msg":"ready","sink":{"url":"${sink.url}"}}`]);
  expect(err).toEqual([]);
  expect((await stop()).exit).toBe(0);
});

describe('the text for each delivery shows', () => {
  const at = () => new FakeClock('2026-06-01T12:00:00Z');

  test('who voted, its IDs, whether its signature is valid, and the answer', async () => {
    const { sink, printed } = await start(['--secret', SECRET], at());
    await post(sink, BODY, signature(BODY));
    expect((await printed(2))[1]?.split('\n')).toEqual([
      naming(/^2026-06-01T12:00:00\.000Z {2}/, 'minecraft', 'Steve'),
      naming(EVENT_ID),
      naming(DELIVERY_ID, 'attempt 2'),
      naming('80351110224678912', 'listing-1'),
      naming('valid'),
      naming('204'),
      '',
    ]);
  });

  test.each([
    ['--secret', SECRET, signature(BODY, 'x'), 'WRONG', '401'],
    ['--secret', SECRET, undefined, 'MISSING', '401'],
    ['--answer', '200', undefined, '--secret', '200'],
  ])(
    'with %s %s, that the signature is wrong, missing or not checked',
    async (flag, value, header, state, answered) => {
      const { sink, printed } = await start([flag, value], at());
      await post(sink, BODY, header);
      const [, block] = await printed(2);
      expect(block?.split('\n').slice(4)).toEqual([naming(state), naming(answered), '']);
    },
  );

  test('whether it is a repeat or a test', async () => {
    const { sink, printed } = await start([]);
    for (const body of [BODY, BODY, payload({ eventId: 'test', test: true })]) await post(sink, body);
    const [, first, second, third] = await printed(4);
    expect(first?.split('\n')).not.toContainEqual(naming(EVENT_ID, 'eventId'));
    expect(second?.split('\n')).toContainEqual(naming(EVENT_ID, 'eventId'));
    expect(second).not.toContain('TEST');
    expect(third?.split('\n')[0]).toEqual(naming('TEST', 'minecraft', 'Steve'));
  });

  test('requests that are not deliveries, and why', async () => {
    const { sink, printed } = await start([], at());
    await post(sink, '{');
    expect((await printed(2))[1]).toEqual(naming(/^2026-06-01T12:00:00\.000Z {2}/, 'JSON', '400'));
  });

  test('no control characters', async () => {
    const { sink, printed } = await start([]);
    await post(sink, payload({ eventId: 'a\u001b[2Jb\nc' }));
    expect((await printed(2))[1]).toContain('a?[2Jb / c');
  });
});

test('--json prints one object per line', async () => {
  const { sink, printed } = await start(['--json'], new FakeClock('2026-06-01T12:00:00Z'));
  await post(sink, BODY);
  await post(sink, '{');
  const [, delivery, other] = await printed(3);
  expect(JSON.parse(delivery as string)).toEqual({
    kind: 'delivery',
    receivedAt: '2026-06-01T12:00:00.000Z',
    eventId: EVENT_ID,
    deliveryId: DELIVERY_ID,
    attempt: 2,
    test: false,
    listingId: 'listing-1',
    userId: '80351110224678912',
    game: 'minecraft',
    playerName: 'Steve',
    signature: 'not-checked',
    again: false,
    answered: 204,
    afterMs: 0,
  });
  expect(JSON.parse(other as string)).toEqual({
    kind: 'no-delivery',
    receivedAt: '2026-06-01T12:00:00.000Z',
    reason: 'not-json',
    signature: 'not-checked',
    answered: 400,
  });
});

test('the statuses of --answer are sent in turn, and the last one repeats', async () => {
  const { sink } = await start(['--answer', '500, 503,200']);
  const statuses: number[] = [];
  for (const _ of [1, 2, 3, 4]) statuses.push((await post(sink, BODY)).status);
  expect(statuses).toEqual([500, 503, 200, 200]);
});

test('with a --delay of more than 10 s the sender reports a timeout, and the receiver a closed connection', async () => {
  const clock = new AnnouncingClock();
  const { sink, printed } = await start(['--delay', '11s'], clock);
  const terminal = fakeTerminal();
  const sender = webhookCommand(
    terminal,
    partsOf(async () => {}, clock),
  );
  const sending = runCommand(sender, terminal, ['send', '--url', sink.url]);
  await clock.isSet(11_000);
  clock.advance(10_000);
  const { exit, out } = await sending;
  expect([exit, out]).toEqual([1, naming('10 seconds', '5')]);
  expect((await printed(2))[1]?.split('\n').at(-2)).toEqual(naming('10 s'));
});

test('exits 0 after --count answered deliveries, not counting other requests', async () => {
  const { sink, ended } = await start(['--count', '2', '--json']);
  expect((await post(sink, '{')).status).toBe(400);
  expect((await post(sink, BODY)).status).toBe(204);
  expect((await post(sink, BODY)).status).toBe(204);
  const { exit, out } = await ended;
  expect(exit).toBe(0);
  expect(out.split('\n')).toHaveLength(4);
});

test('never prints the secret', async () => {
  const { sink, stop } = await start(['--secret', SECRET]);
  await post(sink, BODY, signature(BODY));
  await post(sink, BODY, signature(BODY, 'x'));
  const { out, err } = await stop();
  expect(out + err).not.toContain(SECRET);
});

test('warns that others can reach it beyond loopback, and prints a URL for this machine', async () => {
  const { sink, err } = await start(['--host', '0.0.0.0']);
  expect(sink.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(err).toEqual([naming('0.0.0.0')]);
  expect((await post(sink, BODY)).status).toBe(204);
});

test.each([
  [[], ''],
  [['--secret', 'env:HOOK_SECRET'], ' --secret env:HOOK_SECRET'],
  [['--secret', SECRET], ' --secret …'],
])('shows at a terminal how to send a delivery, without the secret: %j', async (words, rest) => {
  vi.stubEnv('HOOK_SECRET', SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { sink, err } = await start(words, systemClock, true);
  expect(err).toEqual([expect.stringMatching(/teller webhook send --url /)]);
  expect(err[0]?.endsWith(`teller webhook send --url ${sink.url}${rest}`)).toBe(true);
});

describe('an invalid flag exits 2', () => {
  test.each([
    [
      ['--answer', '200,99'],
      ['--answer', '200', '599'],
    ],
    [
      ['--answer', ''],
      ['--answer', '200', '599'],
    ],
    [
      ['--answer', '200,'],
      ['--answer', '200', '599'],
    ],
    [
      ['--delay', '11'],
      ['--delay', '1 h'],
    ],
    [
      ['--delay', '30d'],
      ['--delay', '1 h'],
    ],
    [
      ['--count', '0'],
      ['--count', '1', '"0"'],
    ],
    [
      ['--port', '70000'],
      ['--port', '65535', '"70000"'],
    ],
    [['--host', ''], ['--host']],
    [['--secret', ''], ['--secret']],
  ])('%j', async (words, facts) => {
    const { exit, err, out } = await refused(words);
    expect({ exit, out, err }).toEqual({ exit: 2, out: '', err: naming(...facts, '[usage]') });
  });

  test('exits 1 with the code for a port in use', async () => {
    const { sink } = await start([]);
    const { exit, err } = await refused(['--port', String(sink.port)]);
    expect(exit).toBe(1);
    expect(err).toContain('[port-in-use]');
  });
});
