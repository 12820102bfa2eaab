import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openPort, type Port } from '../kit/port.ts';
import { VotifierClient } from '../support/votifier-client.ts';

const GREETING = /^VOTIFIER 2 [0-9a-v]{26}\n$/;

test('the greeting [G-1] [G-2] is one write of 38 bytes: VOTIFIER 2, 26 of [0-9a-v] that differ on each of 100 connections, one line end', async () => {
  const { number } = await openPort();
  const clients = await Promise.all(Array.from({ length: 100 }, () => VotifierClient.greeted(number)));
  for (const { reads } of clients) expect(reads.map(String)).toEqual([expect.stringMatching(GREETING)]);
  const challenges = await Promise.all(clients.map((client) => client.challenge()));
  expect(new Set(challenges).size).toBe(100);
});

test('the greeting [G-3] reaches a v1 sender that reads only after writing its block, and one that sends something else first', async () => {
  const { number, block, players } = await openPort();
  const http = `GET / HTTP/1.1\r\n${'x'.repeat(256)}`;
  for (const bytes of [...bots(20).map((bot) => block(bot)), http]) {
    const client = await VotifierClient.open(number);
    client.write(bytes);
    await client.untilClosed();
    expect(client.text).toMatch(GREETING);
  }
  expect(await players()).toHaveLength(20);
});

const bots = (count: number): string[] => Array.from({ length: count }, (_, n) => `Bot${n}`);

/** Connects, writes a block and disconnects, all before the listener's process has had a turn: see `sendWhileBlocked`. */
const SENDER_PROCESS = `
  const { connect } = require('node:net');
  const [port, how] = process.argv.slice(1);
  const blocks = require('node:fs').readFileSync(0);
  for (let at = 0; at < blocks.length; at += 256) {
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.on('error', () => {}).on('connect', () => {
      socket.write(blocks.subarray(at, at + 256));
      if (how === 'RST') socket.resetAndDestroy();
      else socket.end();
    });
    if (how === 'FIN') socket.resume();
    // The listener's process waits for this one, so a FIN without an answer must not keep it running.
    if (how === 'FIN') socket.on('finish', () => socket.unref());
  }
`;

/** `spawnSync` blocks this process's loop, so that nothing is accepted until all senders have disconnected. */
function sendWhileBlocked(port: number, how: 'FIN' | 'RST', sent: readonly Buffer[]): void {
  const { status, stderr } = spawnSync(process.execPath, ['-e', SENDER_PROCESS, String(port), how], {
    input: Buffer.concat(sent),
  });
  expect([status, String(stderr)]).toEqual([0, '']);
}

/** All of them are counted, and nothing else. */
async function untilCounted({ players, refused }: Port, count: number): Promise<void> {
  await expect.poll(async () => (await players()).length, { timeout: 10_000 }).toBe(count);
  expect([...(await players())].sort()).toEqual(bots(count).sort());
  expect(refused()).toEqual([]);
}

test.each(['RST', 'FIN'] as const)(
  '[G-3] v1 senders that do not wait for the greeting: 100 blocks whose senders sent %s before their connection was accepted are all counted',
  async (how) => {
    // Fewer than the listener's backlog of 4,096, so that the kernel drops none of them.
    const port = await openPort();
    const blocks = bots(100).map((bot) => port.block(bot));
    sendWhileBlocked(port.number, how, blocks);
    await untilCounted(port, 100);
  },
);

test.each([
  ['right after the write', VotifierClient.open],
  ['after they have read the greeting', VotifierClient.greeted],
])(
  '[G-3] v1 senders that do not wait for the greeting: 50 blocks whose senders reset %s are all counted',
  async (_, connected) => {
    const port = await openPort();
    for (const bot of bots(50)) (await connected(port.number)).reset(port.block(bot));
    await untilCounted(port, 50);
  },
);

test('[G-3] v1 senders that do not wait for the greeting: 60 simultaneous blocks followed by a reset are all counted under the default cap of 32 per address', async () => {
  const port = await openPort();
  const reset = async (bot: string) => (await VotifierClient.open(port.number)).reset(port.block(bot));
  await Promise.all(bots(60).map(reset));
  await untilCounted(port, 60);
});

test('[G-3] v1 senders that do not wait for the greeting: a block whose sender resets just when the greeting is written is counted', async () => {
  const port = await openPort();
  const turns: (() => void)[] = [];
  port.clock.nextTurn = (task) => turns.push(task);
  const client = await VotifierClient.open(port.number);
  await expect.poll(() => turns.length).toBe(1);
  turns.shift()?.();
  client.reset(port.block('Bot0'));
  turns.shift()?.();
  port.clock.nextTurn = (task) => void setImmediate(task);
  await untilCounted(port, 1);
});

test('[G-3] v1 senders that do not wait for the greeting: a reset without a whole block is counted as incomplete, one without a byte as empty', async () => {
  const { greeted, block, refused, votes } = await openPort();
  (await greeted()).reset(block().subarray(0, 255));
  await expect.poll(refused).toEqual(['incomplete 127.0.0.1']);
  (await greeted()).socket.resetAndDestroy();
  await expect.poll(refused).toEqual(['incomplete 127.0.0.1', 'empty 127.0.0.1']);
  expect(await votes()).toEqual([]);
});
