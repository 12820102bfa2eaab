import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decryptV1Block, privateKeyText, publicKeyText } from '../../protocol/votifier/v1.ts';
import { arrived, type Connected, connected, isSettled, until } from '../kit/connected.ts';
import { afterBlock, afterFrame, OK, scriptedListener, V2_GREETING } from '../kit/listener.ts';
import { freePort } from '../kit/serve.ts';
import { temporaryFolder } from '../support/folder.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOKEN = 'the-token-of-the-old-listener';
const MINUTE = 60_000;

/** A vote as the ledger has it. Braces in values are escaped, so that nothing in it looks like a placeholder. */
const voteOn = (service: string, player = 'Steve', address = '203.0.113.9'): string =>
  JSON.stringify({ service, player, address, at: 1_780_315_200_123 });
const VOTE = voteOn('Liste fünf');

const V1 = { protocol: 'v1', token: undefined, publicKey: publicKeyText(keys.publicKey) };

/** Teller’s connection to a listener that does this with each connection. @param settings of its entry. */
async function to(script: (socket: Socket) => void, settings: object = {}) {
  const listener = await scriptedListener(script);
  return { listener, ...(await toPort(listener.port, settings)) };
}

const toPort = (port: number, settings: object = {}): Promise<Connected> =>
  connected({ kind: 'votifier', host: '127.0.0.1', port, token: TOKEN, commandPause: '0ms', ...settings });

/** A listener of version 1 that does this after the block. */
const afterV1 = (answer: (socket: Socket, block: Buffer) => void) => (socket: Socket) => {
  socket.write('VOTIFIER 1.9\n');
  afterBlock(answer)(socket);
};
const refusing = (words: string) =>
  afterFrame((socket) =>
    socket.end(`${JSON.stringify({ status: 'error', cause: 'Refused', error: words })}\r\n`),
  );
const payloadOf = (frame: Buffer): Record<string, unknown> =>
  JSON.parse(JSON.parse(frame.toString('utf8', 4)).payload) as Record<string, unknown>;

test('by version 2 a vote keeps its service, player, address and time, and is delivered when the listener says ok', async () => {
  const frames: Buffer[] = [];
  const { run } = await to(
    afterFrame((socket, frame) => {
      frames.push(frame);
      socket.end(OK);
    }),
  );
  expect(await run(VOTE)).toEqual({ kind: 'delivered', reply: 'ok' });
  const braces = voteOn('{player}').replace('{player}', '\\u007bplayer\\u007d');
  await run(braces);
  const facts = {
    username: 'Steve',
    address: '203.0.113.9',
    timestamp: 1_780_315_200_123,
    challenge: 'c0ffee',
  };
  expect(frames.map(payloadOf)).toEqual([
    { serviceName: 'Liste fünf', ...facts },
    { serviceName: '{player}', ...facts },
  ]);
});

test('by version 1 a vote is written after the greeting, and delivered when the listener closes', async () => {
  let text = '';
  const { run } = await to(
    afterV1((socket, block) => {
      text = decryptV1Block(keys.privateKey, block);
      socket.end();
    }),
    V1,
  );
  expect(await run(VOTE)).toEqual({ kind: 'delivered', reply: '' });
  expect(text).toBe('VOTE\nListe fünf\nSteve\n203.0.113.9\n1780315200123\n');
});

test('the listener has greeted before a vote is claimed, which then uses that connection', async () => {
  const { listener, server, run } = await to(afterFrame((socket) => socket.end(OK)));
  for (const _ of [1, 2]) expect(await server.ready()).toEqual({ kind: 'open' });
  expect(await run(VOTE)).toMatchObject({ kind: 'delivered' });
  expect(listener.connections()).toBe(1);
  expect(await run(VOTE)).toMatchObject({ kind: 'delivered' });
  expect(listener.connections()).toBe(2);
});

test.each<readonly [string, string, (socket: Socket) => void, object]>([
  ['closes before its greeting', 'votifier.no-greeting', (socket) => socket.end(), {}],
  ['resets before its greeting', 'votifier.no-greeting', (socket) => socket.resetAndDestroy(), {}],
  ['says nothing for 10 s', 'votifier.no-greeting', () => {}, {}],
  ['says nothing for 10 s', 'votifier.no-greeting', () => {}, V1],
  [
    'greets as a web server',
    'votifier.foreign-greeting',
    (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    {},
  ],
  ['supports version 1 alone', 'votifier.other-version', (socket) => socket.write('VOTIFIER 1.9\n'), {}],
])('a listener that %s gets nothing, and the vote is not-sent: %s', async (_, reason, script, settings) => {
  let received = 0;
  const { server, soon, run } = await to((socket) => {
    socket.on('data', (chunk) => (received += chunk.length));
    script(socket);
  }, settings);
  expect(await soon(server.ready())).toEqual({ kind: 'resting', reason, restMs: 1_000 });
  expect(await run(VOTE)).toEqual({ kind: 'not-sent', reason });
  expect(received).toBe(0);
});

test.each<readonly [string, (socket: Socket) => void, boolean]>([
  ['closes', (socket) => socket.end(), true],
  ['resets', (socket) => socket.resetAndDestroy(), true],
  ['resets without Teller having read it', (socket) => socket.resetAndDestroy(), false],
])('a listener that %s between its greeting and the vote got nothing: not-sent', async (_, end, isRead) => {
  const sockets: Socket[] = [];
  const { server, run } = await to((socket) => {
    sockets.push(socket);
    socket.write(V2_GREETING);
  });
  await server.ready();
  end(sockets[0] as Socket);
  if (isRead) await arrived();
  expect(await run(VOTE)).toEqual({ kind: 'not-sent', reason: 'votifier.closed-early' });
  expect(sockets).toHaveLength(1);
});

test.each<readonly [string, string, (socket: Socket) => void, object]>([
  ['closes without an answer', 'closed', afterFrame((socket) => socket.end()), {}],
  ['resets', 'closed', afterFrame((socket) => socket.resetAndDestroy()), {}],
  ['closes in its answer', 'votifier.bad-answer', afterFrame((socket) => socket.end('{"status":"o')), {}],
  ['answers something else', 'votifier.bad-answer', afterFrame((socket) => socket.end('thanks\r\n')), {}],
  ['resets after version 1', 'votifier.reset', afterV1((socket) => socket.resetAndDestroy()), V1],
])(
  'a vote after which the listener %s is unknown, and the next one waits: %s',
  async (_, reason, script, settings) => {
    const { server, run } = await to(script, settings);
    expect(await run(VOTE)).toEqual({ kind: 'unknown', reason });
    expect(await server.ready()).toEqual({ kind: 'resting', reason: 'between-connections', restMs: 1_000 });
  },
);

test('a version 1 block that a close overtakes is unknown, because it may not have been read', async () => {
  const sockets: Socket[] = [];
  const { server, run } = await to((socket) => {
    sockets.push(socket);
    socket.write('VOTIFIER 1.9\n');
  }, V1);
  await server.ready();
  // The close has arrived, and nothing has read it yet. Unlike a reset, it lets the vote be written.
  sockets[0]?.destroy();
  expect(await run(VOTE)).toEqual({ kind: 'unknown', reason: 'votifier.reset' });
});

test.each([
  ['timeout', {}],
  ['votifier.not-closed', V1],
])(
  'a vote that is not confirmed within 10 s is unknown, however slow the greeting was: %s',
  async (reason, settings) => {
    let votes = 0;
    const count = (): void => void votes++;
    const { server, clock } = await to('protocol' in settings ? afterV1(count) : afterFrame(count), settings);
    await server.ready();
    clock.advance(9_999);
    const running = server.run(VOTE);
    await until(() => votes === 1);
    clock.advance(9_999);
    expect(await isSettled(running)).toBe(false);
    clock.advance(1);
    expect(await running).toEqual({ kind: 'unknown', reason });
  },
);

test('an answer after 9,999 ms counts', async () => {
  const sockets: Socket[] = [];
  const { server, clock } = await to(afterFrame((socket) => sockets.push(socket)));
  const running = server.run(VOTE);
  await until(() => sockets.length === 1);
  clock.advance(9_999);
  sockets[0]?.end(OK);
  expect(await running).toEqual({ kind: 'delivered', reply: 'ok' });
});

test.each([
  ['votifier.line-break', voteOn('List\nSteve'), {}],
  ['votifier.too-long', voteOn('List', 'Steve', 'x'.repeat(5_000)), {}],
  ['votifier.too-long', voteOn('L'.repeat(230)), V1],
  ['votifier.not-a-vote', 'give Steve diamond 1', {}],
  ['votifier.not-a-vote', '{"text":"hi"}', {}],
  ['votifier.not-a-vote', '{"service":1}', {}],
  ['votifier.not-a-vote', '{"service":', {}],
])('what cannot be forwarded is refused and never sent: %s', async (reason, vote, settings) => {
  let received = 0;
  const { run } = await to((socket) => {
    socket.on('data', (chunk) => (received += chunk.length));
    socket.write('protocol' in settings ? 'VOTIFIER 1.9\n' : V2_GREETING);
  }, settings);
  expect(await run(vote)).toEqual({ kind: 'refused', reply: null, reason });
  expect(received).toBe(0);
});

test.each([
  ['votifier.wrong-token', 'Signature is not valid (invalid token?)'],
  ['votifier.unknown-service', "Unknown service 'Liste fünf'"],
  ['votifier.error-answer', 'Overloaded'],
  ['votifier.error-answer', 'Challenge is not valid'],
])(
  'an error is tried again with growing pauses, and logged once without the token: %s',
  async (reason, words) => {
    const { server, run, clock, log } = await to(refusing(words));
    for (const restMs of [1_000, 2_000, 4_000, 8_000]) {
      const outcome = await server.run(VOTE);
      expect(outcome).toEqual({ kind: 'not-sent', reason });
      expect(await server.ready()).toEqual({ kind: 'resting', reason, restMs });
      clock.advance(restMs);
    }
    expect(await run(VOTE)).toMatchObject({ kind: 'not-sent' });
    expect(log.map(({ code }) => code)).toEqual([reason]);
    expect(JSON.stringify(log)).not.toContain(TOKEN);
  },
);

/** Tries one vote until it is given up. */
async function tries({ server, clock }: Connected, vote: string) {
  const before = clock.monotonic();
  for (let count = 1; ; count++) {
    const outcome = await server.run(vote);
    if (outcome.kind !== 'not-sent') return { outcome, count, ms: clock.monotonic() - before };
    const opening = await server.ready();
    clock.advance(opening.kind === 'resting' ? opening.restMs : 0);
  }
}

test('errors of five minutes are enough: the vote is refused with the answer, and the next goes on at once', async () => {
  const one = await to(refusing('Overloaded'));
  const { outcome, count, ms } = await tries(one, VOTE);
  expect(outcome).toEqual({ kind: 'refused', reply: 'Overloaded' });
  expect(count).toBeGreaterThanOrEqual(6);
  expect([ms >= 5 * MINUTE, ms < 7 * MINUTE]).toEqual([true, true]);
  expect(await one.server.ready()).toEqual({ kind: 'open' });
});

/** A listener that answers votes of this kind with an error, and others with ok. */
const refusingThose = (words: string, isRefused: (payload: Record<string, unknown>) => boolean) =>
  afterFrame((socket, frame) =>
    socket.end(
      isRefused(payloadOf(frame)) ? `{"status":"error","cause":"Refused","error":"${words}"}\r\n` : OK,
    ),
  );

test('an error about the length of a name is about this vote alone: it is refused at once, and the next goes on', async () => {
  const { server, run } = await to(
    refusingThose('Username too long', ({ username }) => String(username).length > 16),
  );
  const refused = await run(voteOn('A.example', 'ANameOfMoreThan16Characters'));
  expect(refused).toEqual({ kind: 'refused', reply: 'Username too long' });
  expect(await server.ready()).toEqual({ kind: 'open' });
  expect(await run(VOTE)).toEqual({ kind: 'delivered', reply: 'ok' });
});

test('errors about a service that has no token there hold up the other services once only', async () => {
  const one = await to(refusingThose('Unknown service', ({ serviceName }) => serviceName === 'New.com'));
  expect((await tries(one, voteOn('New.com'))).ms).toBeGreaterThanOrEqual(5 * MINUTE);
  // Nothing shows yet that others would be accepted.
  expect((await tries(one, voteOn('New.com', 'Alex'))).ms).toBeGreaterThanOrEqual(5 * MINUTE);
  expect(await one.run(voteOn('Old.com'))).toMatchObject({ kind: 'delivered' });
  expect(await tries(one, voteOn('New.com', 'Bob'))).toMatchObject({
    count: 1,
    outcome: { kind: 'refused', reply: 'Unknown service' },
  });
});

test('version 1 finds its key in a file, which may come later', async () => {
  const file = join(temporaryFolder(), 'public.key');
  const { server, run, clock } = await to(
    afterV1((socket) => socket.end()),
    { ...V1, publicKey: file },
  );
  for (const text of [null, privateKeyText(keys.privateKey)]) {
    if (text !== null) writeFileSync(file, text);
    expect(await server.ready()).toMatchObject({ reason: 'votifier.key-unusable' });
    clock.advance(MINUTE);
  }
  writeFileSync(file, publicKeyText(keys.publicKey));
  expect(await run(VOTE)).toMatchObject({ kind: 'delivered' });
});

test('a listener cannot report who is online, and answers no question', async () => {
  const { server } = await toPort(await freePort());
  expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'votifier.shows-nobody' });
  expect(await server.ask('list')).toEqual({ kind: 'unanswered', reason: 'votifier.shows-nobody' });
});
