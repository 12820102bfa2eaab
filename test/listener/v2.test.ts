import { describe, expect, test } from 'vitest';
import { type RefusalCode, refusalEntry, refusals as table } from '../../protocol/votifier/refusals.ts';
import { listening, slowIntake } from '../support/listening.ts';
import { VotifierClient, WIRE_VOTE } from '../support/votifier-client.ts';

const OK = '{"status":"ok"}\r\n';

describe('a v2 vote', () => {
  test('[V2-13] is passed on as received, answered ok in one write, and the connection is closed', async () => {
    const { port, votes, refusals, clock } = await listening();
    const client = await VotifierClient.greeted(port);
    client.write(await client.frame());
    expect(await client.untilClosed()).toBe(OK);
    expect(client.reads).toHaveLength(2);
    expect(votes).toMatchObject([
      { channel: 'listener-v2', wire: WIRE_VOTE, address: '127.0.0.1', blockDigest: null },
    ]);
    expect(votes[0]?.receivedAt).toBe(clock.now());
    expect(JSON.parse(votes[0]?.text ?? '')).toMatchObject({ username: 'Steve', timestamp: 1780315200123 });
    expect(refusals).toEqual([]);
  });

  test('[V2-13] is answered only when it is stored', async () => {
    const intake = slowIntake();
    const { port, voted } = await listening({ accept: intake.accept });
    const [first, second] = [await VotifierClient.greeted(port), await VotifierClient.greeted(port)];
    first.write(await first.frame());
    await voted(1);
    second.write('GET / HTTP/1.1\r\n\r\n');
    second.end();
    await second.untilClosed(); // By then a complete exchange of another sender has ended.
    expect(first.answer).toBe('');
    intake.release();
    expect(await first.untilClosed()).toBe(OK);
  });

  test('is read even if it arrives one byte at a time', async () => {
    const { port, votes } = await listening();
    const client = await VotifierClient.greeted(port);
    for (const byte of await client.frame()) client.write(Buffer.from([byte]));
    expect(await client.untilClosed()).toBe(OK);
    expect(votes).toHaveLength(1);
  });

  test('from a sender that has half-closed the connection is still answered', async () => {
    const intake = slowIntake();
    const { port, voted } = await listening({ accept: intake.accept });
    const client = await VotifierClient.greeted(port);
    client.end(await client.frame());
    await voted(1);
    intake.release();
    expect(await client.untilClosed()).toBe(OK);
  });

  test('[R-5] counts once, even if a line end, a second frame, or a third after the answer follows', async () => {
    const { port, votes, refusals } = await listening();
    const client = await VotifierClient.greeted(port);
    const [first, second] = [await client.frame(), await client.frame({ username: 'Alex' })];
    client.write(Buffer.concat([first, Buffer.from('\r\n'), second]));
    while (client.answer === '') await new Promise((resolve) => client.socket.once('data', resolve));
    client.write(second);
    expect(await client.untilClosed()).toBe(OK);
    expect(votes.map(({ wire }) => wire.username)).toEqual(['Steve']);
    expect(refusals).toEqual([]);
  });

  test('[V2-12] without a frame is answered like a framed one', async () => {
    const { port, votes } = await listening();
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([(await client.frame()).subarray(4), Buffer.from('\r\n')]));
    expect(await client.untilClosed()).toBe(OK);
    expect(votes).toHaveLength(1);
  });
});

type Frame = (client: VotifierClient) => Promise<Buffer | string>;

const framed = (body: string): Buffer => {
  const bytes = Buffer.from(`s:  ${body}`);
  bytes.writeUInt16BE(bytes.length - 4, 2);
  return bytes;
};

/** What a sender can do wrong, and the answer that it gets. */
const WRONG: readonly (readonly [RefusalCode, Frame, string, string])[] = [
  ['v2-oversized', async () => Buffer.from('733a10017b', 'hex'), 'OversizedMessage', 'Message too large'],
  [
    'v2-malformed',
    async () => framed('{"payload":1,"signature":"12345678"}'),
    'CorruptedFrame',
    table['v2-malformed'].hears.message,
  ],
  [
    'v2-payload',
    async () => framed('{"payload":"[1,2,3]","signature":"x"}'),
    'InvalidPayload',
    table['v2-payload'].hears.message,
  ],
  ...(
    [
      ['service', 'serviceName', '{}'],
      ['username', 'username', '{"serviceName":"List","username":null}'],
      ['challenge', 'challenge', '{"serviceName":"List","username":"Steve"}'],
    ] as const
  ).map(
    ([code, field, payload]) =>
      [
        `v2-payload-${code}`,
        async () => framed(JSON.stringify({ payload, signature: 'x' })),
        'InvalidPayload',
        `Payload field ${field} must be a string`,
      ] as const,
  ),
  ['v2-challenge', (client) => anotherChallenge(client), 'InvalidChallenge', 'Challenge is not valid'],
  [
    'v2-unknown-service',
    (client) => client.frame({ serviceName: 'Nobody' }),
    'UnknownService',
    "Unknown service 'Nobody'",
  ],
  [
    'v2-signature',
    (client) => client.frame({}, 'another token'),
    'InvalidSignature',
    'Signature is not valid (invalid token?)',
  ],
];

/** A valid frame except for its challenge, which is another connection's. */
async function anotherChallenge(client: VotifierClient): Promise<Buffer> {
  const other = await VotifierClient.greeted(client.socket.remotePort ?? 0);
  return other.frame();
}

const BY_INTAKE = [
  ...(['service-not-allowed', 'name-too-long', 'name-not-allowed', 'name-unknown-prefix'] as const),
  ...(['site-protocol', 'site-address', 'ledger-unable'] as const),
];

describe('a v2 message that is refused', () => {
  test.each(WRONG)(
    'as %s is answered with the reason in one write and closed',
    async (code, frame, cause, error) => {
      const { port, votes, refusals } = await listening();
      const client = await VotifierClient.greeted(port);
      client.write(await frame(client));
      expect(await client.untilClosed()).toBe(`${JSON.stringify({ status: 'error', cause, error })}\r\n`);
      expect(client.reads).toHaveLength(2);
      expect(votes).toEqual([]);
      expect(refusals[0]).toMatch(new RegExp(`^${code} .*127\\.0\\.0\\.1$`));
    },
  );

  test.each(BY_INTAKE)('by the intake as %s is answered with the reason, never ok', async (code) => {
    const { port, refusals } = await listening({ accept: async () => code });
    const client = await VotifierClient.greeted(port);
    client.write(await client.frame());
    const { cause, message } = refusalEntry(code).hears ?? { cause: '', message: '' };
    expect(await client.untilClosed()).toBe(
      `${JSON.stringify({ status: 'error', cause, error: message })}\r\n`,
    );
    expect(refusals).toEqual([`${code} List 127.0.0.1`]);
  });

  test('has a case above for every code that is answered', () => {
    const heard = Object.entries(table).filter(([, entry]) => 'hears' in entry);
    const tried = [...WRONG.map(([code]) => code), 'v2-off']; // v2-off: switched-off.test.ts
    expect(heard.map(([code]) => code).sort()).toEqual([...tried, ...BY_INTAKE].sort());
  });

  test('because of its signature does not affect the next connection', async () => {
    const { port, votes } = await listening();
    const wrong = await VotifierClient.greeted(port);
    wrong.write(await wrong.frame({}, 'another token'));
    await wrong.untilClosed();
    const right = await VotifierClient.greeted(port);
    right.write(await right.frame());
    expect(await right.untilClosed()).toBe(OK);
    expect(votes).toHaveLength(1);
  });

  test('[V2-8] can be a replay on a second connection, which has another challenge', async () => {
    const { port, votes, refusals } = await listening();
    const first = await VotifierClient.greeted(port);
    const captured = await first.frame();
    first.write(captured);
    await first.untilClosed();
    const second = await VotifierClient.greeted(port);
    second.write(captured);
    expect(await second.untilClosed()).toContain('Challenge is not valid');
    expect(votes).toHaveLength(1);
    expect(refusals).toEqual(['v2-challenge List 127.0.0.1']);
  });
});
