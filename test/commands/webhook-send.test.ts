import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { type Ran, typed } from '../kit/typed.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { type SinkRequest, sink } from '../support/sink.ts';
import { startedSink } from '../webhook-tools/started-sink.ts';

/** Flags, and what the answer names. */
type Case = [flags: string, ...facts: (string | RegExp)[]];

const SECRET = 'whsec_for-this-test';

const send = (words: readonly string[], clock?: Clock): Promise<Ran> =>
  typed(['webhook', 'send', ...words], null, clock);

const reportOf = ({ out }: Ran) => JSON.parse(out)[0];

const isSigned = ({ headers, body }: SinkRequest, secret = SECRET): boolean =>
  headers['x-webhook-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

test('by default posts an unsigned vote for Steve on Minecraft, with the service’s headers', async () => {
  const receiver = await sink(204);
  const { exit, err } = await send(['--url', receiver.url]);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  const [{ method, path, headers, json }] = receiver.requests as [SinkRequest];
  expect({ method, path }).toEqual({ method: 'POST', path: '/hook' });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Teller-Listing/1',
    'x-service-event': 'vote.created',
    'x-service-event-id': json.eventId,
    'x-service-delivery': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
    'x-service-attempt': '1',
  });
  expect(headers).not.toHaveProperty('x-webhook-signature');
  expect(json).toMatchObject({
    event: 'vote.created',
    version: 1,
    test: false,
    data: { listingType: 'game', game: 'minecraft', playerName: 'Steve', userId: '80351110224678912' },
  });
});

test('sends the value of every flag', async () => {
  const receiver = await sink(204);
  const flags = '--event-id e-1 --attempt 4 --user-id 7 --listing-id l --game bot'.split(' ');
  await send(['--url', receiver.url, '--secret', SECRET, ...flags]);
  const [request] = receiver.requests as [SinkRequest];
  expect(request.headers).toMatchObject({ 'x-service-event-id': 'e-1', 'x-service-attempt': '4' });
  expect(request.json).toMatchObject({
    eventId: 'e-1',
    data: { listingType: 'bot', listingId: 'l', userId: '7' },
  });
  expect(isSigned(request)).toBe(true);
});

test('sends a test delivery with --test, and no player with an empty --player', async () => {
  const receiver = await sink(204);
  await send(['--url', receiver.url, '--test', '--player', '']);
  expect(receiver.requests[0]?.json).toMatchObject({
    test: true,
    eventId: 'test',
    data: { playerName: null },
  });
});

test('shows the request, the answer, and what the service would do next', async () => {
  const clock = new FakeClock();
  const receiver = await sink((response) => {
    clock.advance(250);
    response.writeHead(200).end('thanks \u001b[31mSteve\nbye');
  });
  const { out } = await send(['--url', receiver.url, '--event-id', 'e-1', '--secret', SECRET], clock);
  expect(out.replace(/[0-9a-f-]{36}/, 'UUID').split('\n')).toEqual([
    naming(receiver.url),
    naming('e-1'),
    naming('UUID', 'attempt 1'),
    naming('signed'),
    naming('200', '250 ms'),
    naming('thanks ?[31mSteve / bye'),
    '',
    naming('delivered'),
  ]);
});

test('prints an array with one element with --json', async () => {
  const receiver = await sink((response) => response.writeHead(200).end('ok\n'));
  const ran = await send(['--url', receiver.url, '--event-id', 'e-1', '--json'], new FakeClock());
  expect(JSON.parse(ran.out)).toEqual([
    {
      url: receiver.url,
      eventId: 'e-1',
      deliveryId: receiver.requests[0]?.headers['x-service-delivery'],
      attempt: 1,
      test: false,
      signature: 'none',
      status: 200,
      durationMs: 0,
      response: 'ok\n',
      error: null,
      outcome: 'delivered',
      badSignature: null,
      sentence: naming('delivered'),
    },
  ]);
});

describe('what the service would do next', () => {
  test.each([
    [204, [], 0, 'delivered', ['delivered']],
    [404, [], 1, 'permanent', ['4xx', '5xx']],
    [429, [], 1, 'permanent', ['4xx', '5xx']],
    [500, [], 1, 'retryable', ['5']],
    [302, [], 1, 'retryable', [/redirect/, '5']],
    [500, ['--attempt', '5'], 1, 'retryable', ['5']],
    [500, ['--attempt', '6'], 1, 'retryable', ['attempt 6', '5']],
    [500, ['--test'], 1, 'retryable', ['test', 'once']],
    [404, ['--test'], 1, 'permanent', ['test', 'once']],
  ])('%d %j', async (status, flags, exit, outcome, facts) => {
    const receiver = await sink(status);
    const ran = await send(['--url', receiver.url, '--json', ...flags]);
    expect(ran.exit).toBe(exit);
    expect(reportOf(ran)).toMatchObject({ status, outcome, sentence: naming(...facts) });
  });

  test('is not to follow a redirect', async () => {
    const elsewhere = await sink(204);
    const receiver = await sink((response) => response.writeHead(307, { Location: elsewhere.url }).end());
    expect((await send(['--url', receiver.url])).exit).toBe(1);
    expect(elsewhere.requests).toEqual([]);
  });

  test('is to retry if there is no answer within 10 s', async () => {
    const clock = new FakeClock();
    const receiver = await sink(() => {});
    const sending = send(['--url', receiver.url], clock);
    await receiver.request(1);
    clock.advance(10_000);
    const { exit, out } = await sending;
    expect(exit).toBe(1);
    expect(out.split('\n').slice(4)).toEqual([naming('10 s'), '', naming('10 seconds'), naming('5')]);
  });

  test('is to retry if nothing listens on the port', async () => {
    const ran = await send(['--url', `http://127.0.0.1:${await freePort()}/`, '--json']);
    expect(ran.exit).toBe(1);
    expect(reportOf(ran)).toMatchObject({
      status: null,
      response: null,
      error: naming(/refused/),
      outcome: 'retryable',
    });
  });

  test('shows the first 1 KiB of a long answer', async () => {
    const receiver = await sink((response) => response.writeHead(200).end('x'.repeat(5_000)));
    expect(reportOf(await send(['--url', receiver.url, '--json'])).response).toBe('x'.repeat(1024));
  });
});

describe('--bad-signature', () => {
  test('exits 0 if the receiver refuses it', async () => {
    const receiver = await startedSink({ secret: SECRET });
    const ran = await send(['--url', receiver.url, '--bad-signature', '--json']);
    expect(ran.exit).toBe(0);
    expect(reportOf(ran)).toMatchObject({ signature: 'bad', status: 401, badSignature: 'refused' });
    expect(receiver.deliveries).toMatchObject([{ signature: 'wrong' }]);
  });

  test('exits 1 if the receiver accepts it, and says what that means', async () => {
    const receiver = await sink(200);
    const { exit, out } = await send(['--url', receiver.url, '--bad-signature']);
    expect(exit).toBe(1);
    expect(out).toEqual(naming('200', 'URL'));
    const ran = await send(['--url', receiver.url, '--bad-signature', '--json']);
    expect(reportOf(ran)).toMatchObject({ badSignature: 'accepted' });
  });

  test('uses a random secret, with and without --secret', async () => {
    const receiver = await sink(401);
    await send(['--url', receiver.url, '--bad-signature', '--secret', SECRET]);
    await send(['--url', receiver.url, '--bad-signature']);
    const headers = receiver.requests.map((request) => request.headers['x-webhook-signature']);
    for (const header of headers) expect(header).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(isSigned(receiver.requests[0] as SinkRequest)).toBe(false);
  });

  test.each([404, 429, 500])('exits 1 if the answer %d says nothing about the signature', async (status) => {
    const receiver = await sink(status);
    const ran = await send(['--url', receiver.url, '--bad-signature', '--json']);
    expect(ran.exit).toBe(1);
    expect(reportOf(ran)).toMatchObject({ badSignature: 'unclear' });
  });
});

describe('the secret', () => {
  test.each([
    ['from a file', () => `file:${join(temporaryFolder({ hook: `${SECRET}\n` }), 'hook')}`],
    ['from the environment', () => 'env:HOOK_SECRET'],
    ['as typed', () => SECRET],
  ])('signs the delivery if it is given %s', async (_case, reference) => {
    vi.stubEnv('HOOK_SECRET', SECRET);
    onTestFinished(() => void vi.unstubAllEnvs());
    const receiver = await startedSink({ secret: SECRET });
    expect((await send(['--url', receiver.url, '--secret', reference()])).exit).toBe(0);
    expect(receiver.deliveries).toMatchObject([{ signature: 'valid' }]);
  });

  test.each([[[]], [['--json']]])(
    'is never printed, not even if the receiver answers with it %j',
    async (flags) => {
      const receiver = await sink((response) => response.writeHead(401).end(`expected ${SECRET}`));
      const url = `${receiver.url}?key=${SECRET}`;
      const { out, err } = await send(['--url', url, '--secret', SECRET, ...flags]);
      expect(out).toContain('expected [secret]');
      expect(out + err).not.toContain(SECRET);
    },
  );

  test('that does not exist is reported with the place where it was expected, and exits 2', async () => {
    const folder = temporaryFolder();
    const { exit, err } = await send(['--url', 'http://127.0.0.1/', '--secret', `file:${folder}/none`]);
    expect(exit).toBe(2);
    expect(err).toEqual(naming(`${folder}/none`, /\[secret-missing\]$/));
  });

  test('that is empty is an error, and exits 2', async () => {
    const file = join(temporaryFolder(), 'empty');
    writeFileSync(file, '');
    expect(await send(['--url', 'http://127.0.0.1/', '--secret', `file:${file}`])).toMatchObject({ exit: 2 });
  });
});

describe('an invalid flag exits 2 and sends nothing', () => {
  test.each<Case>([
    ['--url ftp://x/', '--url', 'http', 'https'],
    ['--url nowhere', '--url', 'http', 'https'],
    ['--url http://me:pw@127.0.0.1/', '--url', /user name/],
    ['--game minecaft', '--game', '"minecraft"'],
    ['--game bot --player Alex', '--player', '--game minecraft'],
    ['--attempt 0', '--attempt', '1', '"0"'],
    ['--attempt two', '--attempt', '1', '"two"'],
    ['--event-id ', '--event-id', '1', '128'],
    ['--event-id a\r\nb', '--event-id', '1', '128'],
    ['--event-id test', '--event-id', '--test'],
    ['--event-id e --test', '--event-id', '--test'],
    ['--user-id ', '--user-id'],
    [`--player ${'x'.repeat(257)}`, '--player', '256'],
    ['--secret ', '--secret'],
  ])('%j', async (flags, ...facts) => {
    const receiver = await sink(204);
    const { exit, err, out } = await send(['--url', receiver.url, ...flags.split(' ')]);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toEqual(naming(...facts, '[usage]'));
    expect(receiver.requests).toEqual([]);
  });

  test('reports all invalid flags at once', async () => {
    const { err } = await send(['--url', 'x', '--attempt', '0', '--secret', '']);
    expect(err).toEqual(naming('--url', '--attempt', '--secret', '[usage]'));
  });
});
