import { describe, expect, test } from 'vitest';
import { type Listening, listening, slowIntake } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

const proxied = (address: string): string => `PROXY TCP4 ${address} 203.0.113.5 56324 8192\r\n`;

/** Silent connections, greeted one after another, in the order of this list. */
async function silent(port: number, addresses: readonly string[]): Promise<VotifierClient[]> {
  const clients: VotifierClient[] = [];
  for (const address of addresses) clients.push(await VotifierClient.greeted(port, address));
  return clients;
}

async function votes({ port }: Listening, from: string): Promise<string> {
  const client = await VotifierClient.greeted(port, from);
  client.write(await client.frame());
  return client.untilClosed();
}

const OK = '{"status":"ok"}\r\n';
const times = (count: number, address: string): string[] => Array.from({ length: count }, () => address);

describe('at the cap on all connections', () => {
  test('the oldest silent connection of the busiest address is evicted, and the new vote is answered ok', async () => {
    const target = await listening({ maxConnections: 4 });
    const [lone, first, ...rest] = await silent(target.port, ['127.0.0.9', ...times(3, '127.0.0.2')]);
    target.clock.advance(1_000);
    expect(await votes(target, '127.0.0.3')).toBe(OK);
    expect(await first?.untilClosed()).toBe('');
    expect(target.refusals).toEqual(['crowded 127.0.0.2']);
    // The others are not affected: each can still send its vote.
    for (const client of [lone, ...rest]) {
      client?.write(voteBlock());
      await client?.untilClosed();
    }
    expect(target.votes).toHaveLength(4);
  });

  test('a new connection from the busiest address is also served', async () => {
    const target = await listening({ maxConnections: 4 });
    await silent(target.port, times(4, '127.0.0.2'));
    expect(await votes(target, '127.0.0.2')).toBe(OK);
    expect(target.refusals).toEqual(['crowded 127.0.0.2']);
  });

  test('a connection whose vote is being stored is never evicted', async () => {
    const intake = slowIntake();
    const target = await listening({ maxConnections: 2, accept: intake.accept });
    const [storing] = await silent(target.port, ['127.0.0.2']);
    storing?.write((await storing?.frame()) ?? '');
    await target.voted(1);
    const [, , last] = await silent(target.port, times(3, '127.0.0.2'));
    expect(target.refusals).toEqual(['crowded 127.0.0.2', 'crowded 127.0.0.2']);
    intake.release();
    expect(await storing?.untilClosed()).toBe(OK);
    last?.write(voteBlock());
    await target.voted(2);
    intake.release();
  });

  test('if a vote is being stored on every connection, a new connection is closed and counted as crowded', async () => {
    const intake = slowIntake();
    const target = await listening({ maxConnections: 1, accept: intake.accept });
    const [storing] = await silent(target.port, ['127.0.0.2']);
    storing?.write(voteBlock());
    await target.voted(1);
    const refused = await VotifierClient.open(target.port, '127.0.0.3');
    await refused.untilClosed();
    expect(target.refusals).toEqual(['crowded 127.0.0.3']);
    intake.release();
    await storing?.untilClosed();
  });

  test('an answered connection is evicted before one that may still send a vote', async () => {
    const target = await listening({ maxConnections: 2 });
    const lingering = await VotifierClient.greeted(target.port, '127.0.0.2');
    lingering.write(await lingering.frame());
    while (lingering.answer === '') await new Promise((resolve) => lingering.socket.once('data', resolve));
    const [waiting] = await silent(target.port, ['127.0.0.3', '127.0.0.4']);
    expect(target.refusals).toEqual([]);
    waiting?.write(voteBlock());
    await target.voted(2);
    expect(lingering.answer).toBe(OK);
  });
});

describe('at the cap of 2 for one address', () => {
  test('ten votes at once are all answered: none is evicted within the first second', async () => {
    const target = await listening({ maxConnectionsPerAddress: 2 });
    const clients = await silent(target.port, times(10, '127.0.0.2'));
    target.clock.advance(999);
    for (const client of clients) client.write(await client.frame());
    for (const client of clients) expect(await client.untilClosed()).toBe(OK);
    expect(target.refusals).toEqual([]);
  });

  test('connections that stay silent longer are closed, oldest first, until the cap is met', async () => {
    const target = await listening({ maxConnectionsPerAddress: 2 });
    const clients = await silent(target.port, times(5, '127.0.0.2'));
    target.clock.advance(1_250);
    for (const client of clients.slice(0, 3)) expect(await client.untilClosed()).toBe('');
    expect(target.refusals).toEqual(times(3, 'crowded 127.0.0.2'));
    for (const client of clients.slice(3)) {
      client.write(await client.frame());
      expect(await client.untilClosed()).toBe(OK);
    }
  });

  test('a vote from an address at its cap is still answered', async () => {
    const target = await listening({ maxConnectionsPerAddress: 2 });
    await silent(target.port, times(5, '127.0.0.2'));
    target.clock.advance(2_000);
    expect(await votes(target, '127.0.0.2')).toBe(OK);
  });

  test('the cap applies to the real address behind a proxy', async () => {
    const target = await listening({ maxConnectionsPerAddress: 2, proxyProtocol: 'required' });
    const clients = await silent(target.port, times(5, '127.0.0.2'));
    const real = [1, 1, 1, 2, 3].map((last) => `198.51.100.${last}`);
    for (const [index, client] of clients.entries()) {
      client.write(proxied(real[index] ?? ''));
      const marker = await VotifierClient.greeted(target.port); // Its exchange is after that header.
      marker.write(`${proxied('192.0.2.1')}x`);
      marker.end();
      await marker.untilClosed();
    }
    target.clock.advance(1_250);
    expect(await clients[0]?.untilClosed()).toBe('');
    expect(target.refusals.filter((line) => line.startsWith('crowded'))).toEqual(['crowded 198.51.100.1']);
    for (const client of clients.slice(1)) {
      client.write(await client.frame());
      expect(await client.untilClosed()).toBe(OK);
    }
    expect(target.votes.map(({ address }) => address)).toEqual(real.slice(1));
  });
});
