import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { lookInto } from '../../support/config-folder.ts';
import { VotifierClient, v1Block } from '../../support/votifier-client.ts';
import {
  expectServed,
  expectSummedUp,
  type OpenPort,
  openPort,
  publicKeyOf,
  refusalCounts,
  repeat,
} from './fixture.ts';

const SENDER = '127.67.0.1';
const FROM = ['127.0.0.1', SENDER];

const players = (count: number): string[] => Array.from({ length: count }, (_, index) => `Hasty_${index}`);

const blocksOf = (target: OpenPort): ((player: string) => Buffer) => {
  const key = publicKeyOf(target);
  return (player) => v1Block(`VOTE\nList\n${player}\n192.0.2.1\n${systemClock.now()}\n`, key);
};

test.each<[string, (client: VotifierClient, block: Buffer) => void]>([
  ['closes its side at once', (client, block) => client.end(block)],
  ['resets the connection at once', (client, block) => client.reset(block)],
])(
  'the vote of a v1 sender that writes its block before the greeting and %s counts',
  async (_, sendAndLeave) => {
    const target = await openPort();
    const blockOf = blocksOf(target);
    const hasty = repeat(100, async (index) => {
      const client = await VotifierClient.open(target.port, SENDER);
      sendAndLeave(client, blockOf(`Hasty_${index}`));
      await client.untilClosed();
    });
    await target.genuine.during(FROM, hasty);
    const recorded = async () => (await lookInto(target.ledger).votes({ limit: 999 })).length;
    await expect.poll(recorded).toBe(target.genuine.answers.length + 100);
    await target.stop();
    expect(await refusalCounts(target)).toEqual({});
    await expectServed(target, players(100));
  },
);

test('a v2 sender that closes its side after its frame still gets its answer', async () => {
  const target = await openPort();
  const hasty = repeat(100, async (index) => {
    const client = await VotifierClient.greeted(target.port, SENDER);
    client.end(await client.frame({ username: `Hasty_${index}`, timestamp: String(systemClock.now()) }));
    expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  });
  await target.genuine.during(FROM, hasty);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, players(100));
});

test('a sender that half-closes its connection without a vote is disconnected, and counted under the kind of data it sent', async () => {
  const target = await openPort();
  const half = repeat(100, async (index) => {
    const client = await VotifierClient.open(target.port, SENDER);
    client.end(['', 's', 'VOTE\n'][index % 3]);
    expect(await client.untilClosed()).toBe('');
  });
  await target.genuine.during(FROM, half);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ empty: 34, incomplete: 66 });
  expectSummedUp(target, 100);
  await expectServed(target);
});

test('five hundred connections that are reset in the middle of a frame are counted and affect no other sender', async () => {
  const target = await openPort();
  const broken = repeat(500, async () => {
    const client = await VotifierClient.greeted(target.port, SENDER);
    const frame = await client.frame({ username: 'Broken' });
    client.reset(frame.subarray(0, frame.length / 2));
    await client.untilClosed();
  });
  await target.genuine.during(FROM, broken);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ incomplete: 500 });
  expectSummedUp(target, 500);
  await expectServed(target);
});
