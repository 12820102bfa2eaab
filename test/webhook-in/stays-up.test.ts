import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { webhookClosings } from '../../protocol/webhook/refusals.ts';
import { CLOSE_GRACE_MS, REQUEST_LIMIT_MS } from '../../src/votes/webhook/webhook-in.ts';
import { isSettled } from '../support/listening.ts';
import { naming } from '../support/naming.ts';
import { EVENT_ID, payload, signature, type WebhookScene, webhookIn } from './receiving.ts';

const VOTE = payload();
const HEAD = 'POST /hooks/list HTTP/1.1\r\nHost: localhost\r\n';
const WHOLE = `${HEAD}X-Webhook-Signature: ${signature(VOTE)}\r\nContent-Length: ${VOTE.length}\r\n\r\n${VOTE}`;
const RECORDED = [`${EVENT_ID} steve rewarded`];

class Client {
  readonly socket: Socket;
  /** Resolves to all bytes received, when the other side has closed. */
  readonly back: Promise<string>;

  constructor({ port }: WebhookScene, from = '127.0.0.1') {
    this.socket = connect({ port, host: '127.0.0.1', localAddress: from });
    onTestFinished(() => void this.socket.destroy());
    this.socket.on('error', () => {});
    let text = '';
    this.socket.setEncoding('utf8').on('data', (more: string) => (text += more));
    this.back = new Promise((resolve) => this.socket.once('close', () => resolve(text)));
  }

  static async connected(place: WebhookScene, from?: string): Promise<Client> {
    const client = new Client(place, from);
    await once(client.socket, 'connect');
    await isSettled(client.back); // It has also been accepted.
    return client;
  }

  /** Writes these bytes on a new connection. */
  static says(place: WebhookScene, bytes: Buffer | string): Promise<string> {
    const client = new Client(place);
    client.socket.write(bytes);
    return client.back;
  }
}

async function reset(place: WebhookScene): Promise<void> {
  const client = new Client(place);
  await once(client.socket, 'connect');
  client.socket.write(`${HEAD}Content-Length: 100\r\n\r\n{"event"`);
  client.socket.resetAndDestroy();
  await client.back;
}

const stillServes = async ({ post, votes }: WebhookScene): Promise<void> => {
  expect((await post(VOTE)).status).toBe(200);
  expect(votes()).toEqual(RECORDED);
};

test('a vote is still recorded after a thousand malformed requests and a hundred resets', async () => {
  const place = await webhookIn();
  for (let round = 0; round < 50; round++) {
    const malformed = Array.from({ length: 20 }, (_, n) => {
      if (n % 5 === 0) return Client.says(place, Buffer.concat([Buffer.from('\x16\x03'), randomBytes(500)]));
      if (n % 5 === 1) return place.post('{"event":"vote.created"');
      if (n % 5 === 2) return place.post(VOTE, { signed: `sha256=${randomBytes(32).toString('hex')}` });
      if (n % 5 === 3) return Client.says(place, `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`);
      return place.post(randomBytes(200).toString('hex'), { path: `/${round}` });
    });
    await Promise.all([...malformed, reset(place), reset(place)]);
  }
  expect(place.votes()).toEqual([]);
  await stillServes(place);
});

describe('an unusable request is answered and closed', () => {
  test.each([
    ['TLS', Buffer.from('16030100', 'hex'), '400'],
    ['headers beyond 16 KiB', `${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['a bad length', `${HEAD}Content-Length: -1\r\n\r\n`, '400'],
    ['two lengths', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, '400'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['no Host', 'POST /hooks/list HTTP/1.1\r\n\r\n', '400'],
    [
      'an upgrade',
      'GET /hooks/list HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      '405',
    ],
  ])('%s', async (_case, bytes, status) => {
    const place = await webhookIn();
    expect(await Client.says(place, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await stillServes(place);
  });

  test.each([
    ['not HTTP', Buffer.from('16030100', 'hex'), '[not-http]\n'],
    ['headers beyond 16 KiB', `${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, '[headers-too-large]\n'],
  ])('%s: the answer gives the reason with the code', async (_case, bytes, code) => {
    const place = await webhookIn();
    expect((await Client.says(place, bytes)).split('\r\n\r\n')[1]).toEqual(naming(code));
  });

  test('CONNECT', async () => {
    const place = await webhookIn();
    expect(await Client.says(place, 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('');
    await stillServes(place);
  });

  test('an endless body, with 413', async () => {
    const place = await webhookIn();
    const { socket, back } = new Client(place);
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more).write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    more();
    await back;
    expect(place.lines).toMatchObject([{ code: 'webhook-too-large' }]);
    await stillServes(place);
  });
});

describe('a delivery that is cut off', () => {
  test.each([
    ['in its headers', WHOLE.slice(0, 40)],
    ['in its body', WHOLE.slice(0, -10)],
    ['in a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nab`],
  ])('%s gets no answer, because a 4xx would stop the sender from retrying', async (_case, bytes) => {
    const place = await webhookIn();
    const client = new Client(place);
    client.socket.end(bytes);
    expect(await client.back).toBe('');
    expect(place.lines).toMatchObject([{ level: 'debug', code: 'webhook-incomplete' }]);
    await stillServes(place);
  });

  test.each([
    ['before it is whole is counted', WHOLE.slice(0, -10), ['webhook-incomplete 1']],
    ['after its answer is not', WHOLE, []],
    ['before its first byte is not', '', []],
  ])('by a reset %s', async (_case, bytes, counted) => {
    const place = await webhookIn();
    const client = await Client.connected(place);
    client.socket.write(bytes);
    await isSettled(client.back); // it has been read
    client.socket.resetAndDestroy();
    await isSettled(client.back);
    expect((await place.refused()).map(({ code, count }) => `${code} ${count}`)).toEqual(counted);
  });
});

test.each(['100-continue', '200-ok'])(
  'a sender that expects %s is served like any other',
  async (expected) => {
    const place = await webhookIn();
    const back = await Client.says(place, WHOLE.replace(HEAD, `${HEAD}Expect: ${expected}\r\n`));
    expect(back).toMatch(/^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 /);
    expect(place.votes()).toEqual(RECORDED);
  },
);

describe('a connection serves one delivery', () => {
  test('and is then closed; later bytes are not read', async () => {
    const place = await webhookIn();
    const back = await Client.says(place, WHOLE + WHOLE.replace('/list', '/other'));
    expect(back.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(back).toContain('Connection: close');
    expect(place.lines).toEqual([]);
  });

  test('which is answered even if garbage follows it', async () => {
    const place = await webhookIn();
    expect(await Client.says(place, `${WHOLE}\0rubbish`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(place.votes()).toEqual(RECORDED);
  });

  test('even if its body arrives byte by byte', async () => {
    const place = await webhookIn();
    const { socket, back } = new Client(place);
    socket
      .setNoDelay(true)
      .write(`${HEAD}X-Webhook-Signature: ${signature(VOTE)}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (const byte of VOTE) socket.write(`1\r\n${byte}\r\n`);
    socket.write('0\r\n\r\n');
    expect(await back).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the deadline for a whole request', () => {
  test.each([
    ['nothing', ''],
    ['half a line', 'POST /hoo'],
    ['headers that do not end', `${HEAD}X: y\r\n`],
    ['half a body', `${HEAD}Content-Length: 100\r\n\r\n{"event"`],
  ])(
    'closes a connection that has sent %s, without an answer, so the service retries',
    async (_case, bytes) => {
      const place = await webhookIn();
      const client = await Client.connected(place);
      client.socket.write(bytes);
      expect(await isSettled(client.back)).toBe(false);
      place.clock.advance(REQUEST_LIMIT_MS - 1);
      expect(await isSettled(client.back)).toBe(false);
      place.clock.advance(1);
      expect(await client.back).toBe('');
      await stillServes(place);
    },
  );

  test('is not extended by bytes that arrive slowly', async () => {
    const place = await webhookIn();
    const client = await Client.connected(place);
    for (const byte of `${HEAD}Content`) {
      client.socket.write(byte);
      place.clock.advance(REQUEST_LIMIT_MS / 10);
      if (await isSettled(client.back)) break;
    }
    expect(await client.back).toBe('');
    expect(place.lines).toMatchObject([{ level: 'debug', code: 'webhook-too-slow' }]);
  });

  test('does not cut off a vote that is being stored', async () => {
    const storing = slowly();
    const place = await webhookIn({ intake: storing.intake });
    const answered = place.post(VOTE);
    await storing.begun(1);
    place.clock.advance(5 * REQUEST_LIMIT_MS);
    storing.finish();
    expect((await answered).status).toBe(503);
  });
});

/** An intake that answers `unable` when the test says so. */
function slowly() {
  let [begun, count, news] = [0, 0, () => {}];
  const waiting: (() => void)[] = [];
  return {
    intake: {
      acceptReport: async () => {
        begun += 1;
        news();
        await new Promise<void>((resolve) => waiting.push(resolve));
        count += 1;
        return { kind: 'unable' as const };
      },
    },
    begun: async (wanted: number) => {
      while (begun < wanted) await new Promise<void>((resolve) => (news = resolve));
    },
    finish: () => waiting.splice(0).forEach((resolve) => void resolve()),
    finished: () => count,
  };
}

test('a sender that disconnects while its vote is being stored does not affect others', async () => {
  const storing = slowly();
  const place = await webhookIn({ intake: storing.intake });
  const client = new Client(place);
  client.socket.write(WHOLE);
  await storing.begun(1);
  client.socket.resetAndDestroy();
  await client.back;
  storing.finish();
  const next = place.post(VOTE);
  await storing.begun(2);
  storing.finish();
  expect((await next).status).toBe(503);
});

describe('at a cap', () => {
  test('the oldest silent connection of the busiest address is evicted, and the new one is served', async () => {
    const place = await webhookIn({ maxConnections: 4 });
    const lone = await Client.connected(place, '127.0.0.9');
    const [first, ...rest] = [
      await Client.connected(place, '127.0.0.2'),
      await Client.connected(place, '127.0.0.2'),
      await Client.connected(place, '127.0.0.2'),
    ];
    place.clock.advance(1_000);
    await stillServes(place);
    expect(await first?.back).toBe('');
    for (const { socket, back } of [lone, ...rest]) {
      socket.write(WHOLE);
      expect(await back).toMatch(/^HTTP\/1\.1 200 /);
    }
    expect(place.lines).toMatchObject([
      { level: 'warn', code: 'webhook-no-room', fields: { sender: '127.0.0.2' } },
    ]);
  });

  test('an address that exceeds its own cap loses its oldest connection after a second, and no other address is affected', async () => {
    const place = await webhookIn({ maxConnectionsPerAddress: 2 });
    const elsewhere = await Client.connected(place, '127.0.0.9');
    const oldest = await Client.connected(place, '127.0.0.2');
    place.clock.advance(1);
    const younger = await Client.connected(place, '127.0.0.2');
    const newest = await Client.connected(place, '127.0.0.2');
    expect(await isSettled(oldest.back)).toBe(false);
    place.clock.advance(1_250);
    expect(await oldest.back).toBe('');
    for (const { socket, back } of [elsewhere, younger, newest]) {
      socket.write(WHOLE);
      expect(await back).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test('a connection whose vote is being stored is never evicted; instead the new one is closed and its sender retries', async () => {
    const storing = slowly();
    const place = await webhookIn({ maxConnections: 1, intake: storing.intake });
    const answered = place.post(VOTE);
    await storing.begun(1);
    expect(await Client.says(place, WHOLE)).toBe('');
    expect(place.lines[0]).toMatchObject({
      code: 'webhook-no-room',
      sentence: naming('127.0.0.1', webhookClosings['no-room'].log),
    });
    storing.finish();
    expect((await answered).status).toBe(503);
  });
});

describe('closing', () => {
  test('is immediate if there are no connections', async () => {
    const place = await webhookIn();
    await stillServes(place);
    await place.server.close();
    await expect(place.post(VOTE)).rejects.toThrow();
  });

  test('gives requests in progress a moment to finish', async () => {
    const place = await webhookIn();
    const [halting, late] = [await Client.connected(place), await Client.connected(place)];
    halting.socket.write(WHOLE.slice(0, 80));
    late.socket.write(WHOLE.slice(0, 80));
    await isSettled(late.back);
    const closed = place.server.close();
    late.socket.write(WHOLE.slice(80));
    expect(await late.back).toMatch(/^HTTP\/1\.1 200 /);
    expect(await isSettled(closed)).toBe(false);
    place.clock.advance(CLOSE_GRACE_MS);
    await closed;
    expect(await halting.back).toBe('');
    expect(place.votes()).toEqual(RECORDED);
  });

  test('waits for the vote that is being stored, so that the ledger can be closed afterwards', async () => {
    const storing = slowly();
    const place = await webhookIn({ intake: storing.intake });
    const client = new Client(place);
    client.socket.write(WHOLE);
    await storing.begun(1);
    const closed = place.server.close();
    place.clock.advance(CLOSE_GRACE_MS);
    await client.back;
    expect(await isSettled(closed)).toBe(false);
    storing.finish();
    await closed;
    expect(storing.finished()).toBe(1);
  });
});
