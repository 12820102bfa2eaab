import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { arrived, isSettled } from '../kit/connected.ts';
import { lockLedger } from '../kit/ledger-file.ts';
import { openPort } from '../kit/port.ts';
import { serve } from '../kit/serve.ts';
import { naming } from '../support/naming.ts';

const OK = '{"status":"ok"}\r\n';

async function voteFrom(host: string, port: number, block: Buffer): Promise<void> {
  const socket = connect({ host, port });
  onTestFinished(() => void socket.destroy());
  socket.resume().write(block);
  await once(socket, 'close');
}

describe.each(['::', '0.0.0.0'])('a listener at %s', (host) => {
  test('accepts votes over IPv4 and IPv6, and records an IPv4 sender by its IPv4 address', async () => {
    const { number, block, votes } = await openPort({ host });
    await voteFrom('127.0.0.1', number, block('Steve'));
    await voteFrom('::1', number, block('Alex'));
    expect((await votes()).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  });

  test('applies the IPv4 address to refusals and to trusted proxies', async () => {
    const proxies = { proxyProtocol: 'required', trustedProxies: ['127.0.0.0/8'] };
    const { sent, block, votes, refused } = await openPort({ host, ...proxies });
    await sent(Buffer.concat([Buffer.from('PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n'), block()]));
    await sent(block('Alex'));
    expect((await votes()).map(({ address }) => address)).toEqual(['203.0.113.9']);
    expect(refused()).toEqual(['proxy-missing 127.0.0.1']);
  });

  test('applies the cap per address to two IPv4 senders separately', async () => {
    const { greeted, clock, refused } = await openPort({ host, maxConnectionsPerAddress: 1 });
    for (const from of ['127.0.0.1', '127.0.0.2']) await greeted(from);
    clock.advance(2_000);
    await greeted('127.0.0.1');
    expect(refused()).toEqual(['crowded 127.0.0.1']);
  });
});

test('listens over IPv4 on a machine without IPv6', async () => {
  const { listen } = Server.prototype;
  Reflect.set(Server.prototype, 'listen', function (this: Server, ...given: Parameters<Server['listen']>) {
    const [{ host }] = given as unknown as [{ host?: string }];
    if (host !== '::') return listen.apply(this, given);
    const fault = Object.assign(new Error('no IPv6'), { code: 'EAFNOSUPPORT' });
    queueMicrotask(() => this.emit('error', fault));
    return this;
  });
  onTestFinished(() => void Reflect.set(Server.prototype, 'listen', listen));
  const { number, block, players } = await openPort({ host: '::' });
  await voteFrom('127.0.0.1', number, block());
  expect(await players()).toEqual(['Steve']);
  await expect(voteFrom('::1', number, block('Alex'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

// At 0.0.0.0, the other program has it over one address only.
test.each(['127.0.0.1', '0.0.0.0'])(
  'at %s, a port that is taken is a problem that names the port and its key',
  async (host) => {
    const port = await serve(createServer());
    const problem = await openPort({ host, port }).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      code: 'port-in-use',
      message: naming(`${host}:${port}`, 'listener.port'),
    });
  },
);

test.each([
  ['192.0.2.1', '192.0.2.1:0'],
  ['fe80::1', '[fe80::1]:0'],
  ['no-such-host.invalid', 'no-such-host.invalid:0'],
])(
  'at %s, which is not of this machine, it does not listen, and names the key of the host',
  async (host, shown) => {
    const problem = await openPort({ host }).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'port-not-allowed', message: naming(shown, 'listener.host') });
    expect(String(problem)).not.toContain('listener.port');
  },
);

test('closing finishes a v2 vote that is being stored: it is answered ok, then the listener is closed', async () => {
  const { teller, greeted } = await openPort();
  const unlock = lockLedger(teller);
  const client = await greeted();
  client.write(await client.frame());
  await arrived();
  const closed = teller.stop();
  expect(await isSettled(closed)).toBe(false);
  unlock();
  expect(await client.untilClosed()).toBe(OK);
  await closed;
});

test('closing waits for a v1 vote that is being stored, even if its sender has reset the connection', async () => {
  const { teller, greeted, block, players } = await openPort();
  const unlock = lockLedger(teller);
  const client = await greeted();
  client.write(block());
  await arrived();
  client.socket.resetAndDestroy();
  const closed = teller.stop();
  expect(await isSettled(closed)).toBe(false);
  unlock();
  await closed;
  expect(await players()).toEqual(['Steve']);
});

test('closing gives connections that have not sent a vote one second, accepts no new ones, and then refuses', async () => {
  const { teller, number, greeted, clock, refused } = await openPort();
  const [voter, silent] = [await greeted(), await greeted()];
  const closed = teller.stop();
  await arrived();
  clock.advance(999);
  voter.write(await voter.frame());
  expect(await voter.untilClosed()).toBe(OK);
  expect(await isSettled(closed)).toBe(false);
  await expect(voteFrom('127.0.0.1', number, Buffer.alloc(0))).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  clock.advance(1);
  await silent.untilClosed();
  await closed;
  expect(refused()).toEqual(['deadline 127.0.0.1']);
});

test('closing destroys an answered connection after one second if its sender does not close it', async () => {
  const { teller, greeted, clock } = await openPort();
  const client = await greeted();
  client.write(await client.frame());
  while (client.answer === '') await arrived();
  const closed = teller.stop();
  clock.advance(999);
  expect(await isSettled(closed)).toBe(false);
  clock.advance(1);
  await closed;
  expect(client.answer).toBe(OK);
});
