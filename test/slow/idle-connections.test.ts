import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import {
  expectServed,
  expectSummedUp,
  openPort,
  refusalCounts,
  repeat,
} from '../end-to-end/open-port/fixture.ts';
import { VotifierClient } from '../support/votifier-client.ts';

/** Connections that send nothing and stay open until the listener closes them. */
class IdleConnections {
  /** The numbers of the connections that the listener has closed, in that order. */
  readonly closed: number[] = [];
  private opened = 0;

  constructor(private readonly port: number) {}

  get open(): number {
    return this.opened - this.closed.length;
  }

  async add(number: number, localAddress: string): Promise<void> {
    const socket: Socket = connect({ host: '127.0.0.1', port: this.port, localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume(); // A reset also closes it.
    socket.on('close', () => this.closed.push(number));
    await once(socket, 'connect');
    this.opened++;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Votes as a distant sender does, whose frame arrives 300 ms after the greeting. */
async function voteWithLatency(port: number, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, '127.0.0.2');
  const frame = await client.frame({ username, timestamp: String(systemClock.now()) });
  systemClock.after(300, () => client.write(frame));
  return client.untilClosed();
}

test('3,000 idle connections from one range never fill the port: votes from that range and from distant senders are accepted', {
  timeout: 60_000,
}, async () => {
  const target = await openPort();
  const idle = new IdleConnections(target.port);
  const opening = repeat(3_000, (index) => idle.add(index, `127.63.0.${1 + (index % 250)}`));
  // From another range, from an address that also floods, and from another address of the flooding range.
  const from = ['127.0.0.1', '127.63.0.9', '127.63.0.254'];
  const distant = Promise.all(
    ['Distant_1', 'Distant_2'].map((player) => voteWithLatency(target.port, player)),
  );
  await target.genuine.during(from, opening);
  expect(await distant).toEqual(Array(2).fill('{"status":"ok"}\r\n'));
  expect(idle.open).toBeLessThanOrEqual(1_024);
  await target.genuine.during(from, expect.poll(() => idle.open, { timeout: 10_000 }).toBe(0));

  await target.stop();
  const { crowded = 0, deadline = 0, ...others } = await refusalCounts(target);
  expect([crowded + deadline, others]).toEqual([3_000, {}]);
  expect(crowded).toBeGreaterThanOrEqual(3_000 - 1_024);
  expectSummedUp(target, 3_000);
  await expectServed(target, ['Distant_1', 'Distant_2']);
});

test('if an address floods the port, its oldest silent connections are closed first, and a genuine vote from it is accepted', {
  timeout: 60_000,
}, async () => {
  const target = await openPort({ listener: { host: '127.0.0.1', port: 0, deadline: '3s' } });
  const idle = new IdleConnections(target.port);
  const opening = repeat(200, (index) => idle.add(index, '127.63.0.9'), 1);
  await target.genuine.during(['127.63.0.9'], opening);
  await target.genuine.during(
    ['127.63.0.9'],
    expect.poll(() => idle.closed.length, { timeout: 10_000 }).toBe(200),
  );

  await target.stop();
  const { crowded = 0, deadline = 0 } = await refusalCounts(target);
  expect(crowded + deadline).toBe(200);
  expect(crowded).toBeGreaterThanOrEqual(200 - 32);
  expect(idle.closed.slice(0, crowded).toSorted((a, b) => a - b)).toEqual(upTo(crowded));
  await expectServed(target);
});
