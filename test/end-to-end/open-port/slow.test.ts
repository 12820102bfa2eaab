import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { expectServed, expectSummedUp, openPort, refusalCounts, SHORT_DEADLINE } from './scene.ts';

const PAUSE_MS = 3;
const FROM = ['127.0.0.1', '127.62.0.1'];

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `127.62.0.${index + 1}`);

interface Drip {
  readonly client: VotifierClient;
  readonly frame: Buffer;
}

async function dripping(port: number, from: string): Promise<Drip> {
  const client = await VotifierClient.greeted(port, from);
  return {
    client,
    frame: await client.frame({ username: nameOf(from), timestamp: String(systemClock.now()) }),
  };
}

const nameOf = (address: string): string => `Slow_${address.split('.')[3]}`;

/** One byte of each, then a pause, until all is written or the listener has closed them; answers what they heard. */
async function drip(drips: readonly Drip[], pauseMs: number): Promise<string[]> {
  const longest = Math.max(...drips.map(({ frame }) => frame.length));
  const closed = drips.map(({ client }) => client.untilClosed());
  for (let at = 0; at < longest && drips.some(({ client }) => client.socket.writable); at++) {
    for (const { client, frame } of drips)
      if (client.socket.writable) client.write(frame.subarray(at, at + 1));
    await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
  }
  return Promise.all(closed);
}

const startDrips = async (port: number, count: number, pauseMs: number): Promise<string[]> =>
  drip(await Promise.all(addresses(count).map((from) => dripping(port, from))), pauseMs);

test('a vote that drips in one byte at a time, and is whole before the deadline, counts', async () => {
  const place = await openPort();
  const heard = await place.genuine.during(FROM, startDrips(place.port, 1, PAUSE_MS));
  expect(heard).toEqual(['{"status":"ok"}\r\n']);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({});
  await expectServed(place, ['Slow_1']);
});

test('a hundred votes that drip in at once delay no other sender, and all of them count', async () => {
  const place = await openPort();
  const heard = await place.genuine.during(FROM, startDrips(place.port, 100, PAUSE_MS));
  expect(heard).toEqual(Array(100).fill('{"status":"ok"}\r\n'));
  await place.stop();
  expect(await refusalCounts(place)).toEqual({});
  await expectServed(place, addresses(100).map(nameOf));
});

test('a hundred votes that drip past the deadline are cut off, do not count, and delay no other sender', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const heard = await place.genuine.during(FROM, startDrips(place.port, 100, 5 * PAUSE_MS));
  expect(heard).toEqual(Array(100).fill(''));
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ deadline: 100 });
  expectSummedUp(place, 100);
  await expectServed(place);
});
