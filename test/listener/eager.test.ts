import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Listening, listening } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

const SENDERS = 500;

const blocks = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, number) => voteBlock(`Bot${number}`));

const playersOf = ({ votes }: Listening): string[] => votes.map(({ wire }) => wire.username).sort();

const bots = (count: number): string[] => Array.from({ length: count }, (_, n) => `Bot${n}`).sort();

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

describe('[G-3] v1 senders that do not wait for the greeting', () => {
  test.each(['RST', 'FIN'] as const)(
    '300 blocks whose senders sent %s before their connection was accepted are all counted',
    async (how) => {
      // Fewer than the listener's backlog of 4,096, so that the kernel drops none of them.
      const target = await listening({ maxConnectionsPerAddress: SENDERS });
      sendWhileBlocked(target.port, how, blocks(300));
      await target.voted(300);
      expect(playersOf(target)).toEqual(bots(300));
      expect(target.refusals).toEqual([]);
    },
  );

  test('500 blocks whose senders reset right after the write, one after another, are all counted', async () => {
    const target = await listening();
    for (const block of blocks(SENDERS)) (await VotifierClient.open(target.port)).reset(block);
    await target.voted(SENDERS);
    expect(playersOf(target)).toEqual(bots(SENDERS));
    expect(target.refusals).toEqual([]);
  });

  test('500 blocks whose senders reset after they have read the greeting are all counted', async () => {
    const target = await listening();
    for (const block of blocks(SENDERS)) (await VotifierClient.greeted(target.port)).reset(block);
    await target.voted(SENDERS);
    expect(playersOf(target)).toEqual(bots(SENDERS));
    expect(target.refusals).toEqual([]);
  });

  test('100 simultaneous blocks followed by a reset are all counted under the default cap of 32 per address', async () => {
    const target = await listening();
    await Promise.all(
      blocks(100).map(async (block) => (await VotifierClient.open(target.port)).reset(block)),
    );
    await target.voted(100);
    expect(playersOf(target)).toEqual(bots(100));
    expect(target.refusals).toEqual([]);
  });

  test('a block whose sender resets just when the greeting is written is counted', async () => {
    const target = await listening();
    const turns: (() => void)[] = [];
    target.clock.nextTurn = (task) => turns.push(task);
    const client = await VotifierClient.open(target.port);
    await expect.poll(() => turns.length).toBe(1);
    turns.shift()?.();
    client.reset(voteBlock());
    turns.shift()?.();
    await target.voted(1);
    expect(playersOf(target)).toEqual(['Steve']);
    expect(target.refusals).toEqual([]);
  });

  test('a reset without a whole block is counted as incomplete, one without a byte as empty', async () => {
    const target = await listening();
    (await VotifierClient.greeted(target.port)).reset(voteBlock().subarray(0, 255));
    await target.refused(1);
    (await VotifierClient.greeted(target.port)).socket.resetAndDestroy();
    await target.refused(2);
    expect(target.refusals).toEqual(['incomplete 127.0.0.1', 'empty 127.0.0.1']);
    expect(target.votes).toEqual([]);
  });
});
