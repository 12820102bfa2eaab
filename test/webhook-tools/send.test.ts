import { expect, onTestFinished, test, vi } from 'vitest';
import { type ReceiverRequest, receiver } from '../kit/receiver.ts';
import { freePort } from '../kit/serve.ts';
import { type Ran, typed } from '../kit/typed.ts';
import { SECRET, signature } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/;

const send = ({ url }: { url: string }, flags: readonly string[] = [], clock?: FakeClock): Promise<Ran> =>
  typed(['webhook', 'send', '--url', url, ...flags], null, clock);

const reportOf = async (to: { url: string }, ...flags: string[]) => {
  const { exit, out } = await send(to, ['--json', ...flags]);
  return { exit, ...JSON.parse(out)[0] };
};

const isSigned = ({ headers, body }: ReceiverRequest): boolean =>
  headers['x-webhook-signature'] === signature(body);

test('[WH-8] by default posts an unsigned vote for Steve on Minecraft, with the service’s headers; it says when a vote can be cast again, names players only on Minecraft, and has new IDs each time', async () => {
  const to = await receiver();
  for (const flags of [[], ['--game', 'bot'], ['--game', 'roblox']])
    expect(await send(to, flags)).toMatchObject({ exit: 0, err: '' });
  const [{ method, path, headers, json }] = to.requests as [ReceiverRequest];
  expect([method, path]).toEqual(['POST', '/hook']);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Teller-Listing/1',
    'x-service-event': 'vote.created',
    'x-service-event-id': json.eventId,
    'x-service-delivery': expect.stringMatching(UUID),
    'x-service-attempt': '1',
  });
  expect(headers).not.toHaveProperty('x-webhook-signature');
  expect(json).toMatchObject({
    ...{ event: 'vote.created', version: 1, test: false },
    data: { listingType: 'game', game: 'minecraft', playerName: 'Steve', userId: '80351110224678912' },
  });
  const hoursOf = ({ votedAt, nextVoteAt }: Record<string, string>) =>
    (Date.parse(nextVoteAt ?? '') - Date.parse(votedAt ?? '')) / 3_600_000;
  const data = to.requests.map((request) => request.json.data);
  expect(data.map(hoursOf)).toEqual([24, 12, 24]);
  expect(data[1]).not.toHaveProperty('game');
  expect(data[1]).not.toHaveProperty('playerName');
  expect(data[2]).toMatchObject({ listingType: 'game', game: 'roblox', playerName: null });
  expect(new Set(to.requests.map((request) => request.json.eventId)).size).toBe(3);
  expect(new Set(to.requests.map((request) => request.headers['x-service-delivery'])).size).toBe(3);
});

test('sends the value of every flag, a test delivery with --test, and no player with an empty --player', async () => {
  const to = await receiver();
  const flags = '--event-id e-1 --attempt 4 --user-id 7 --listing-id l --game bot'.split(' ');
  await send(to, ['--secret', SECRET, ...flags]);
  await send(to, ['--test', '--player', '']);
  const [request, tested] = to.requests as [ReceiverRequest, ReceiverRequest];
  expect(request.headers).toMatchObject({ 'x-service-event-id': 'e-1', 'x-service-attempt': '4' });
  const data = { listingType: 'bot', listingId: 'l', userId: '7' };
  expect(request.json).toMatchObject({ eventId: 'e-1', data });
  expect(isSigned(request)).toBe(true);
  expect(tested.json).toMatchObject({ test: true, eventId: 'test', data: { playerName: null } });
});

test('shows the request, the answer, and what the service would do next; with --json as an array with one element', async () => {
  const clock = new FakeClock();
  const to = await receiver((response) => {
    clock.advance(250);
    response.writeHead(200).end('thanks \u001b[31mSteve\nbye');
  });
  const { out } = await send(to, ['--event-id', 'e-1', '--secret', SECRET], clock);
  expect(out.replace(/[0-9a-f-]{36}/, 'UUID').split('\n')).toEqual([
    naming(to.url),
    naming('e-1'),
    naming('UUID', 'attempt 1'),
    naming('signed'),
    naming('200', '250 ms'),
    naming('thanks ?[31mSteve / bye'),
    '',
    naming('delivered'),
  ]);
  const { json } = await send(to, ['--event-id', 'e-1', '--json'], clock);
  expect(json).toEqual([
    {
      ...{ url: to.url, eventId: 'e-1', deliveryId: to.requests[1]?.headers['x-service-delivery'] },
      ...{ attempt: 1, test: false, signature: 'none', status: 200, durationMs: 250 },
      ...{ response: 'thanks \u001b[31mSteve\nbye', error: null, outcome: 'delivered', badSignature: null },
      sentence: naming('delivered'),
    },
  ]);
  // The first 1 KiB.
  to.answers = [(response) => response.writeHead(200).end('x'.repeat(5_000))];
  expect((await reportOf(to)).response).toBe('x'.repeat(1024));
});

test('what the service would do next is said of each status, attempt and test; it follows no redirect', async () => {
  const elsewhere = await receiver();
  const to = await receiver((response) => response.writeHead(302, { Location: elsewhere.url }).end());
  for (const [answer, flags, exit, outcome, ...facts] of [
    [204, '', 0, 'delivered', 'delivered'],
    [404, '', 1, 'permanent', '4xx', '5xx'],
    [429, '', 1, 'permanent', '4xx', '5xx'],
    [500, '', 1, 'retryable', '5'],
    [302, '', 1, 'retryable', /redirect/, '5'],
    [500, '--attempt 5', 1, 'retryable', '5'],
    [500, '--attempt 6', 1, 'retryable', 'attempt 6', '5'],
    [500, '--test', 1, 'retryable', 'test', 'once'],
    [404, '--test', 1, 'permanent', 'test', 'once'],
  ] as const) {
    const peer = answer === 302 ? to : await receiver(answer);
    const report = await reportOf(peer, ...flags.split(' ').filter(Boolean));
    expect(report).toMatchObject({ exit, status: answer, outcome, sentence: naming(...facts) });
  }
  expect(elsewhere.requests).toEqual([]);
});

test('without an answer within 10 s, or if nothing listens on the port, it would retry', async () => {
  const clock = new FakeClock();
  const to = await receiver(() => {});
  const sending = send(to, [], clock);
  await expect.poll(() => to.requests.length).toBe(1);
  clock.advance(9_999);
  clock.advance(1);
  const { exit, out } = await sending;
  expect(exit).toBe(1);
  expect(out.split('\n').slice(4)).toEqual([naming('10 s'), '', naming('10 seconds'), naming('5')]);
  expect(await reportOf({ url: `http://127.0.0.1:${await freePort()}/` })).toMatchObject({
    ...{ exit: 1, status: null, response: null, error: naming(/refused/), outcome: 'retryable' },
  });
});

test('--bad-signature exits 0 only if the receiver refuses it, says what the answer means, and uses a random secret', async () => {
  for (const [status, exit, badSignature] of [
    [401, 0, 'refused'],
    [200, 1, 'accepted'],
    [404, 1, 'unclear'],
    [429, 1, 'unclear'],
    [500, 1, 'unclear'],
  ] as const)
    expect(await reportOf(await receiver(status), '--bad-signature')).toMatchObject({
      ...{ exit, status, signature: 'bad', badSignature },
    });
  const to = await receiver(200);
  expect((await send(to, ['--bad-signature'])).out).toEqual(naming('200', 'URL'));
  await send(to, ['--bad-signature', '--secret', SECRET]);
  for (const request of to.requests) {
    expect(request.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(isSigned(request)).toBe(false);
  }
});

test('the secret may be in a file, in the environment or typed; a missing one is reported with the place where it was expected, and an empty one is an error', async () => {
  vi.stubEnv('HOOK_SECRET', SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const to = await receiver();
  const folder = temporaryFolder({ hook: `${SECRET}\n`, empty: '' });
  const sent = (secret: string) => send(to, ['--secret', secret]);
  for (const secret of [`file:${folder}/hook`, 'env:HOOK_SECRET', SECRET])
    expect((await sent(secret)).exit).toBe(0);
  const missing = await sent(`file:${folder}/none`);
  expect([missing.exit, missing.err]).toEqual([2, naming(`${folder}/none`, /\[secret-missing\]$/)]);
  expect((await sent(`file:${folder}/empty`)).exit).toBe(2);
  expect(to.requests.map((request) => isSigned(request))).toEqual([true, true, true]);
});

test('the secret is never printed, not even if the receiver answers with it', async () => {
  for (const flags of [[], ['--json']]) {
    const to = await receiver((response) => response.writeHead(401).end(`expected ${SECRET}`));
    const { out, err } = await send({ url: `${to.url}?key=${SECRET}` }, ['--secret', SECRET, ...flags]);
    expect(out).toContain('expected [secret]');
    expect(out + err).not.toContain(SECRET);
  }
});

test('an invalid flag exits 2 and sends nothing, and all are reported at once', async () => {
  const to = await receiver();
  for (const [flags, ...facts] of [
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
    ['--url x --attempt 0 --secret ', '--url', '--attempt', '--secret'],
  ] as const) {
    const { exit, err, out } = await send(to, flags.split(' '));
    expect([flags, exit, out, err]).toEqual([flags, 2, '', naming(...facts, '[usage]')]);
  }
  expect(to.requests).toEqual([]);
});
