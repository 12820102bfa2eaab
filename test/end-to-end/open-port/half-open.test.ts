import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { lookInto } from '../../support/config-folder.ts';
import { VotifierClient, v1Block } from '../../support/votifier-client.ts';
import {
  expectServed,
  expectSummedUp,
  type OpenPort,
  openPort,
  publicKeyOf,
  refusalCounts,
  times,
} from './scene.ts';

const SENDER = '127.67.0.1';
const FROM = ['127.0.0.1', SENDER];

const players = (count: number): string[] => Array.from({ length: count }, (_, index) => `Hasty_${index}`);

const blocksOf = (place: OpenPort): ((player: string) => Buffer) => {
  const key = publicKeyOf(place);
  return (player) => v1Block(`VOTE\nList\n${player}\n192.0.2.1\n${systemClock.now()}\n`, key);
};

test.each<[string, (client: VotifierClient, block: Buffer) => void]>([
  ['closes its side at once', (client, block) => client.end(block)],
  ['resets the connection at once', (client, block) => client.reset(block)],
])('a v1 sender that writes its block before any greeting and %s has voted', async (_, leave) => {
  const place = await openPort();
  const blockOf = blocksOf(place);
  const hasty = times(100, async (index) => {
    const client = await VotifierClient.open(place.port, SENDER);
    leave(client, blockOf(`Hasty_${index}`));
    await client.untilClosed();
  });
  await place.genuine.during(FROM, hasty);
  const recorded = async () => (await lookInto(place.ledger).votes({ limit: 999 })).length;
  await expect.poll(recorded).toBe(place.genuine.answers.length + 100);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({});
  await expectServed(place, players(100));
});

test('a v2 sender that closes its side after its frame still gets its answer', async () => {
  const place = await openPort();
  const hasty = times(100, async (index) => {
    const client = await VotifierClient.greeted(place.port, SENDER);
    client.end(await client.frame({ username: `Hasty_${index}`, timestamp: String(systemClock.now()) }));
    expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  });
  await place.genuine.during(FROM, hasty);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({});
  await expectServed(place, players(100));
});

test('a sender that only half-closes its connection is disconnected, and counted by what it sent', async () => {
  const place = await openPort();
  const half = times(100, async (index) => {
    const client = await VotifierClient.open(place.port, SENDER);
    client.end(['', 's', 'VOTE\n'][index % 3]);
    expect(await client.untilClosed()).toBe('');
  });
  await place.genuine.during(FROM, half);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ empty: 34, incomplete: 66 });
  expectSummedUp(place, 100);
  await expectServed(place);
});

test('five hundred connections that are reset in the middle of a frame are counted and affect no other sender', async () => {
  const place = await openPort();
  const broken = times(500, async () => {
    const client = await VotifierClient.greeted(place.port, SENDER);
    const frame = await client.frame({ username: 'Broken' });
    client.reset(frame.subarray(0, frame.length / 2));
    await client.untilClosed();
  });
  await place.genuine.during(FROM, broken);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ incomplete: 500 });
  expectSummedUp(place, 500);
  await expectServed(place);
});
