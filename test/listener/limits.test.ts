import { expect, test } from 'vitest';
import { arrived, isSettled } from '../kit/connected.ts';
import { lockLedger } from '../kit/ledger-file.ts';
import { openPort, type Port } from '../kit/port.ts';
import { VotifierClient } from '../support/votifier-client.ts';

const OK = '{"status":"ok"}\r\n';
/** Long enough to be told from a block of version 1. */
const HTTP = `GET /${'a'.repeat(300)} HTTP/1.1\r\n\r\n`;
const HEADER = (address: string): string => `PROXY TCP4 ${address} 203.0.113.5 56324 8192\r\n`;

/** A v2 vote on this connection. @returns the answer. */
async function votes(client: VotifierClient | undefined, username: string): Promise<string> {
  client?.write(await client.frame({ username }));
  return (await client?.untilClosed()) ?? '';
}

test('the deadline closes a silent connection after 5 s; a vote that is complete after 4,999 ms counts', async () => {
  const { greeted, clock, refused } = await openPort();
  const [silent, voter] = [await greeted(), await greeted()];
  clock.advance(4_999);
  expect(await votes(voter, 'Steve')).toBe(OK);
  expect(await isSettled(silent.untilClosed())).toBe(false);
  clock.advance(1);
  expect(await silent.untilClosed()).toBe('');
  expect(refused()).toEqual(['deadline 127.0.0.1']);
});

test('the deadline is the same for a connection that sends one byte a second', async () => {
  const { greeted, sent, block, clock, players, refused } = await openPort();
  const dripping = await greeted();
  const bytes = block();
  for (let second = 0; second < 5; second++) {
    dripping.write(bytes.subarray(second, second + 1));
    // A complete exchange of another sender, so that the byte has been read by then.
    await sent(block(`Bot${second}`));
    clock.advance(1_000);
  }
  expect(await dripping.untilClosed()).toBe('');
  expect(refused()).toEqual(['deadline 127.0.0.1']);
  expect(await players()).toHaveLength(5);
});

test('the deadline runs from the start of the connection, not from the PROXY header', async () => {
  const { greeted, sent, clock, refused } = await openPort({ proxyProtocol: 'required' });
  const client = await greeted();
  clock.advance(4_000);
  client.write(HEADER('198.51.100.7'));
  await sent('no header');
  clock.advance(1_000);
  await client.untilClosed();
  expect(refused()).toEqual(['proxy-missing 127.0.0.1', 'deadline 198.51.100.7']);
});

test.each([
  ['GET / HTTP/1.1\r\n', 'http'],
  ['SSH-2.0-OpenSSH_9.6\r\n', 'ssh'],
  ['\u0016\u0003\u0001\u0002\u0000', 'tls'],
  ['PROXY TCP4 198.51.100.7 203.0.113.5 1 2\r\n', 'proxy-header'],
  ['s', 'deadline'],
])('the deadline [R-6] classifies a connection that began with %j as %s', async (junk, code) => {
  const { greeted, sent, block, clock, refused } = await openPort();
  const client = await greeted();
  client.write(Buffer.from(junk, 'latin1'));
  await sent(block());
  clock.advance(5_000);
  await client.untilClosed();
  expect(refused()).toEqual([`${code} 127.0.0.1`]);
});

test.each([
  ['a stall of 400 ms of this process, by those', 400, 5_400],
  ['a stall of an hour, by one deadline at most', 3_600_000, 10_000],
])('the deadline is postponed by %s', async (_, stallMs, afterMs) => {
  const { greeted, clock, refused } = await openPort();
  const client = await greeted();
  clock.stall(stallMs);
  await arrived();
  const left = afterMs - Math.min(stallMs, 5_000);
  clock.advance(left - 1);
  await arrived();
  expect(refused()).toEqual([]);
  clock.advance(1);
  await client.untilClosed();
  expect(refused()).toEqual(['deadline 127.0.0.1']);
});

test('the deadline is postponed by many stalls together by one deadline at most', async () => {
  const { greeted, clock } = await openPort();
  const client = await greeted();
  // A peer that keeps the process busy: 90 ms of each 100 ms.
  for (let elapsed = 0; elapsed < 9_900; elapsed += 100) {
    clock.stall(90);
    clock.advance(10);
    await new Promise(setImmediate);
  }
  await arrived();
  expect(isOpen(client)).toBe(true);
  clock.advance(100);
  await client.untilClosed();
});

test('the deadline counts for a vote that has arrived when it is over', async () => {
  const { greeted, clock, players } = await openPort();
  const client = await greeted();
  client.write(await client.frame());
  clock.advance(5_000);
  expect(await client.untilClosed()).toBe(OK);
  expect(await players()).toEqual(['Steve']);
});

test('the deadline does not count while a vote is being stored', async () => {
  const { teller, greeted, clock, refused } = await openPort();
  const unlock = lockLedger(teller);
  const client = await greeted();
  client.write(await client.frame());
  await arrived();
  clock.advance(60_000);
  unlock();
  expect(await client.untilClosed()).toBe(OK);
  expect(refused()).toEqual([]);
});

const times = (count: number, address: string): string[] => Array.from({ length: count }, () => address);

const flood = (port: Port, count: number, address: (n: number) => string) =>
  silent(
    port,
    Array.from({ length: count }, (_, n) => address(n)),
  );

/** Silent connections, greeted one after another, in the order of this list. */
async function silent({ greeted }: Port, addresses: readonly string[]): Promise<VotifierClient[]> {
  const clients: VotifierClient[] = [];
  for (const address of addresses) clients.push(await greeted(address));
  return clients;
}

const isOpen = ({ socket }: VotifierClient): boolean => !socket.readableEnded && !socket.destroyed;

/** What was refused as crowded, with its number, as the summary of ten seconds has it. */
function crowded({ teller, clock, refused }: Port): readonly (string | undefined)[] {
  clock.advance(10_000);
  const summary = teller.log.filter(({ code }) => code === 'refusals').map(({ sentence }) => sentence);
  return [
    ...refused().filter((line) => line.startsWith('crowded')),
    ...summary.map((sentence) => /\d+ crowded/.exec(sentence)?.[0]),
  ];
}

test('at the cap on all connections, the oldest silent connection of the busiest address is closed, and the new vote is answered ok', async () => {
  const port = await openPort({ maxConnections: 4 });
  const [lone, first, ...rest] = await silent(port, ['127.0.0.9', ...times(3, '127.0.0.2')]);
  port.clock.advance(1_000);
  expect(await votes(await port.greeted('127.0.0.3'), 'Steve')).toBe(OK);
  expect(await first?.untilClosed()).toBe('');
  expect(port.refused()).toEqual(['crowded 127.0.0.2']);
  // The others are not affected: each can still send its vote.
  for (const [at, client] of [lone, ...rest].entries()) expect(await votes(client, `P${at}`)).toBe(OK);
});

test('at the cap on all connections, the oldest of all is closed if every address has one', async () => {
  const port = await openPort({ maxConnections: 3 });
  const clients = await silent(
    port,
    [2, 3, 4, 5, 6].map((last) => `127.0.0.${last}`),
  );
  await arrived();
  expect(clients.map(isOpen)).toEqual([false, false, true, true, true]);
});

test('at the cap on all connections, two connections of a sender stay open while 60 silent ones from other addresses come and go', async () => {
  const port = await openPort({ maxConnections: 32 });
  await flood(port, 30, (n) => `127.0.1.${n + 1}`);
  port.clock.advance(900);
  const voters = await silent(port, times(2, '127.0.0.2'));
  port.clock.advance(100);
  await flood(port, 30, (n) => `127.0.2.${n + 1}`);
  for (const [at, voter] of voters.entries()) expect(await votes(voter, `P${at}`)).toBe(OK);
});

test('at the cap on all connections, a slow sender stays connected while a few addresses fill the cap within a second', async () => {
  const port = await openPort({ maxConnections: 40, maxConnectionsPerAddress: 8 });
  const [slow] = await silent(port, ['127.0.0.2']);
  port.clock.advance(1_200);
  await flood(port, 60, (n) => `127.0.1.${(n % 3) + 1}`);
  expect(await votes(slow, 'Steve')).toBe(OK);
});

test('at the cap on all connections, a site’s only connection stays open while a range floods with two or three for each address', async () => {
  const port = await openPort({ maxConnections: 30 });
  const [site] = await silent(port, ['127.0.0.2']);
  port.clock.advance(1);
  await flood(port, 40, (n) => `127.0.1.${(n % 14) + 1}`);
  expect(await votes(site, 'Steve')).toBe(OK);
});

test('at the cap on all connections, a connection whose vote is being stored is never closed', async () => {
  const port = await openPort({ maxConnections: 2 });
  const unlock = lockLedger(port.teller);
  const [storing] = await silent(port, ['127.0.0.2']);
  storing?.write(await storing.frame());
  await arrived();
  const [first, second, last] = await silent(port, times(3, '127.0.0.2'));
  for (const client of [first, second]) await client?.untilClosed();
  unlock();
  expect(await storing?.untilClosed()).toBe(OK);
  expect(await votes(last, 'Alex')).toBe(OK);
  expect(crowded(port)).toEqual(['crowded 127.0.0.2', '2 crowded']);
});

test('at the cap on all connections, if a vote is being stored on every connection, a new connection is closed and counted as crowded', async () => {
  const port = await openPort({ maxConnections: 1 });
  const unlock = lockLedger(port.teller);
  const [storing] = await silent(port, ['127.0.0.2']);
  storing?.write(port.block());
  await arrived();
  const refused = await VotifierClient.open(port.number, '127.0.0.3');
  expect(await refused.untilClosed()).toBe('');
  expect(port.refused()).toEqual(['crowded 127.0.0.3']);
  unlock();
  await storing?.untilClosed();
  expect(await port.players()).toEqual(['Steve']);
});

test('at the cap on all connections, an answered connection is closed before one that may still send a vote', async () => {
  const port = await openPort({ maxConnections: 2 });
  const [lingering] = await silent(port, ['127.0.0.2']);
  lingering?.write(await lingering.frame());
  while (lingering?.answer === '') await arrived();
  const [waiting] = await silent(port, ['127.0.0.3', '127.0.0.4']);
  expect(port.refused()).toEqual([]);
  expect(await votes(waiting, 'Alex')).toBe(OK);
  expect(lingering?.answer).toBe(OK);
});

const PER_ADDRESS = { maxConnectionsPerAddress: 2 };

test('at the cap of 2 for one address, ten votes at once are all answered: none is closed within the first second', async () => {
  const port = await openPort(PER_ADDRESS);
  const clients = await silent(port, times(10, '127.0.0.2'));
  port.clock.advance(999);
  for (const [at, client] of clients.entries()) client.write(await client.frame({ username: `P${at}` }));
  for (const client of clients) expect(await client.untilClosed()).toBe(OK);
  expect(port.refused()).toEqual([]);
});

test('at the cap of 2 for one address, connections that stay silent longer are closed, oldest first, until the cap is met', async () => {
  const port = await openPort(PER_ADDRESS);
  const other = await port.greeted('127.0.0.9');
  const clients = await silent(port, times(5, '127.0.0.2'));
  port.clock.advance(1_250);
  for (const client of clients.slice(0, 3)) expect(await client.untilClosed()).toBe('');
  for (const [at, client] of [other, ...clients.slice(3)].entries())
    expect(await votes(client, `P${at}`)).toBe(OK);
  expect(crowded(port)).toEqual(['crowded 127.0.0.2', '3 crowded']);
});

test('at the cap of 2 for one address, a new connection makes the oldest close at once if that is past its first second', async () => {
  const port = await openPort(PER_ADDRESS);
  const first = await port.greeted('127.0.0.2');
  port.clock.advance(500);
  const middle = await port.greeted('127.0.0.2');
  port.clock.advance(500);
  const last = await port.greeted('127.0.0.2');
  expect(await first.untilClosed()).toBe('');
  for (const [at, client] of [middle, last].entries()) expect(await votes(client, `P${at}`)).toBe(OK);
});

test('at the cap of 2 for one address, connections whose vote is being stored do not count', async () => {
  const port = await openPort(PER_ADDRESS);
  const unlock = lockLedger(port.teller);
  const [storing, ...idle] = await silent(port, times(3, '127.0.0.2'));
  storing?.write(await storing.frame());
  await arrived();
  port.clock.advance(4_000);
  expect(idle.map(isOpen)).toEqual([true, true]);
  unlock();
  expect(await storing?.untilClosed()).toBe(OK);
  expect(port.refused()).toEqual([]);
});

test('at the cap of 2 for one address, the cap applies to the real address behind a proxy, an IPv6 /64 being one address', async () => {
  const port = await openPort({ ...PER_ADDRESS, proxyProtocol: 'required' });
  const clients = await silent(port, times(8, '127.0.0.2'));
  const real = [
    ...['198.51.100.1', '198.51.100.1', '198.51.100.1', '198.51.100.2'],
    ...['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:2::1'],
  ];
  for (const [at, client] of clients.entries()) {
    const address = real[at] ?? '';
    client.write(address.includes(':') ? `PROXY TCP6 ${address} ::1 1 2\r\n` : HEADER(address));
    // A complete exchange, so that the header has been read by then.
    await port.sent(`${HEADER('192.0.2.1')}${HTTP}`);
  }
  port.clock.advance(1_250);
  for (const at of [0, 4]) expect(await clients[at]?.untilClosed()).toBe('');
  const left = [1, 2, 3, 5, 6, 7];
  for (const at of left) expect(await votes(clients[at], `P${at}`)).toBe(OK);
  expect((await port.votes()).map(({ address }) => address)).toEqual(left.map((at) => real[at]));
  expect(crowded(port)).toContain('2 crowded');
});

test('at the cap of 2 for one address, the oldest connection is closed first, even if the PROXY headers came in another order', async () => {
  const port = await openPort({ maxConnectionsPerAddress: 1, proxyProtocol: 'required' });
  const old = await port.greeted('127.0.0.2');
  port.clock.advance(500);
  const young = await port.greeted('127.0.0.3');
  for (const client of [young, old]) {
    client.write(HEADER('198.51.100.7'));
    await port.sent(`${HEADER('192.0.2.1')}${HTTP}`);
  }
  port.clock.advance(1_250);
  expect(await old.untilClosed()).toBe('');
  expect(await votes(young, 'Steve')).toBe(OK);
});
