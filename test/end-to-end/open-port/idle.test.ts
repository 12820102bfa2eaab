import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { expectServed, expectSummedUp, openPort, refusalCounts, times } from './scene.ts';

/** Connections that say nothing and never leave by themselves. */
class Idle {
  /** The numbers of those that the listener has closed, in that order. */
  readonly closed: number[] = [];
  private opened = 0;

  constructor(private readonly port: number) {}

  get open(): number {
    return this.opened - this.closed.length;
  }

  async add(number: number, localAddress: string): Promise<void> {
    const socket: Socket = connect({ host: '127.0.0.1', port: this.port, localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume(); // Being reset is an end as well.
    socket.on('close', () => this.closed.push(number));
    await once(socket, 'connect');
    this.opened++;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A sender so far away that it takes a while until its frame is there. */
async function voteFromAfar(port: number, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, '127.0.0.2');
  const frame = await client.frame({ username, timestamp: String(systemClock.now()) });
  systemClock.after(300, () => client.write(frame));
  return client.untilClosed();
}

test('3,000 idle connections from one range never fill the port: votes from it, and from far away, get through', {
  timeout: 60_000,
}, async () => {
  const place = await openPort();
  const idle = new Idle(place.port);
  const opening = times(3_000, (index) => idle.add(index, `127.63.0.${1 + (index % 250)}`));
  // From elsewhere, from an address that is flooding itself, and from another one of the same range.
  const from = ['127.0.0.1', '127.63.0.9', '127.63.0.254'];
  const afar = Promise.all(['Afar_1', 'Afar_2'].map((player) => voteFromAfar(place.port, player)));
  await place.genuine.during(from, opening);
  expect(await afar).toEqual(Array(2).fill('{"status":"ok"}\r\n'));
  expect(idle.open).toBeLessThanOrEqual(1_024);
  await place.genuine.during(from, expect.poll(() => idle.open, { timeout: 10_000 }).toBe(0));

  await place.stop();
  const { crowded = 0, deadline = 0, ...others } = await refusalCounts(place);
  expect([crowded + deadline, others]).toEqual([3_000, {}]);
  expect(crowded).toBeGreaterThanOrEqual(3_000 - 1_024);
  expectSummedUp(place, 3_000);
  await expectServed(place, ['Afar_1', 'Afar_2']);
});

test('at an address that floods, the oldest silent connection goes first and its genuine vote is served', {
  timeout: 60_000,
}, async () => {
  const place = await openPort({ listener: { host: '127.0.0.1', port: 0, deadline: '3s' } });
  const idle = new Idle(place.port);
  const opening = times(200, (index) => idle.add(index, '127.63.0.9'), 1);
  await place.genuine.during(['127.63.0.9'], opening);
  await place.genuine.during(
    ['127.63.0.9'],
    expect.poll(() => idle.closed.length, { timeout: 10_000 }).toBe(200),
  );

  await place.stop();
  const { crowded = 0, deadline = 0 } = await refusalCounts(place);
  expect(crowded + deadline).toBe(200);
  expect(crowded).toBeGreaterThanOrEqual(200 - 32);
  expect(idle.closed.slice(0, crowded).toSorted((a, b) => a - b)).toEqual(upTo(crowded));
  await expectServed(place);
});
