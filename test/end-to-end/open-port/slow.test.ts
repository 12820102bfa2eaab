import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { expectServed, expectSummedUp, openPort, refusalCounts, SHORT_DEADLINE } from './fixture.ts';

const PAUSE_MS = 3;
const FROM = ['127.0.0.1', '127.62.0.1'];

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `127.62.0.${index + 1}`);

interface SlowVote {
  readonly client: VotifierClient;
  readonly frame: Buffer;
}

async function slowVote(port: number, from: string): Promise<SlowVote> {
  const client = await VotifierClient.greeted(port, from);
  return {
    client,
    frame: await client.frame({ username: nameOf(from), timestamp: String(systemClock.now()) }),
  };
}

const nameOf = (address: string): string => `Slow_${address.split('.')[3]}`;

/** Writes one byte of each frame per round until all are written or closed by the listener. Returns the answers. */
async function writeSlowly(votes: readonly SlowVote[], pauseMs: number): Promise<string[]> {
  const longest = Math.max(...votes.map(({ frame }) => frame.length));
  const closed = votes.map(({ client }) => client.untilClosed());
  for (let at = 0; at < longest && votes.some(({ client }) => client.socket.writable); at++) {
    for (const { client, frame } of votes)
      if (client.socket.writable) client.write(frame.subarray(at, at + 1));
    await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
  }
  return Promise.all(closed);
}

const sendSlowly = async (port: number, count: number, pauseMs: number): Promise<string[]> =>
  writeSlowly(await Promise.all(addresses(count).map((from) => slowVote(port, from))), pauseMs);

test('a vote that arrives one byte at a time and is complete before the deadline counts', async () => {
  const target = await openPort();
  const answers = await target.genuine.during(FROM, sendSlowly(target.port, 1, PAUSE_MS));
  expect(answers).toEqual(['{"status":"ok"}\r\n']);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, ['Slow_1']);
});

test('a hundred votes that arrive one byte at a time all count, and delay no other sender', async () => {
  const target = await openPort();
  const answers = await target.genuine.during(FROM, sendSlowly(target.port, 100, PAUSE_MS));
  expect(answers).toEqual(Array(100).fill('{"status":"ok"}\r\n'));
  await target.stop();
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, addresses(100).map(nameOf));
});

test('a hundred votes that are incomplete at the deadline are disconnected, do not count, and delay no other sender', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const answers = await target.genuine.during(FROM, sendSlowly(target.port, 100, 5 * PAUSE_MS));
  expect(answers).toEqual(Array(100).fill(''));
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ deadline: 100 });
  expectSummedUp(target, 100);
  await expectServed(target);
});
