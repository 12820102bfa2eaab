import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withinNetworks } from '../../src/core/address.ts';
import { listen } from '../../src/platform/listen.ts';
import { listening } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

const OPTIONS = { port: 0, key: 'listener.port in the config', likelyHolder: 'another Teller' };

async function voteFrom(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  onTestFinished(() => void socket.destroy());
  socket.resume().write(voteBlock());
  await once(socket, 'close');
}

describe.each(['::', '0.0.0.0'])('a listener at %s', (host) => {
  test('accepts votes over IPv4 and IPv6, and records an IPv4 sender by its IPv4 address', async () => {
    const { port, votes } = await listening({ host });
    await voteFrom('127.0.0.1', port);
    await voteFrom('::1', port);
    expect(votes.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  });

  test('applies the IPv4 address to refusals and to trusted proxies', async () => {
    const isTrustedProxy = withinNetworks(['127.0.0.0/8']);
    const { port, votes, refusals } = await listening({ host, proxyProtocol: 'required', isTrustedProxy });
    const proxied = await VotifierClient.open(port);
    proxied.write(Buffer.concat([Buffer.from('PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n'), voteBlock()]));
    await proxied.untilClosed();
    const plain = await VotifierClient.open(port);
    plain.end(voteBlock());
    await plain.untilClosed();
    expect(votes.map(({ address }) => address)).toEqual(['203.0.113.9']);
    expect(refusals).toEqual(['proxy-missing 127.0.0.1']);
  });

  test('applies the cap per address to two IPv4 senders separately', async () => {
    const { port, clock, refusals } = await listening({ host, maxConnectionsPerAddress: 1 });
    for (const from of ['127.0.0.1', '127.0.0.2']) await VotifierClient.greeted(port, from);
    clock.advance(2_000);
    await VotifierClient.greeted(port, '127.0.0.1');
    expect(refusals).toEqual(['crowded 127.0.0.1']);
  });
});

test('listens over IPv4 on a machine without IPv6', async () => {
  class WithoutIPv6 extends Server {
    override listen(...args: unknown[]): this {
      const { host } = args[0] as { host: string };
      if (host !== '::') return super.listen(...(args as Parameters<Server['listen']>));
      queueMicrotask(() => this.emit('error', Object.assign(new Error('no IPv6'), { code: 'EAFNOSUPPORT' })));
      return this;
    }
  }
  const server = new WithoutIPv6();
  onTestFinished(() => void server.close());
  expect(await listen(server, { ...OPTIONS, host: '::', bothFamilies: true })).toMatchObject({
    host: '0.0.0.0',
  });
});

test('fails if another program has the port over IPv4 only', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const server = createServer();
  const all = listen(server, { ...OPTIONS, host: '0.0.0.0', port, bothFamilies: true });
  await expect(all).rejects.toMatchObject({
    code: 'port-in-use',
    message: expect.stringContaining('0.0.0.0'),
  });
});
