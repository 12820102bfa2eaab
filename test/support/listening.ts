import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Listener, type ListenerParts } from '../../src/votes/listener/listener.ts';
import type { ReceivedVote, VoteIntake } from '../../src/votes/listener/vote-intake.ts';
import { FakeClock } from './fake-clock.ts';
import { silentLog } from './log.ts';
import { testPrivateKey } from './vectors.ts';
import { TOKEN } from './votifier-client.ts';

/** A listener on a free port, with the votes and refusals that it passed on. */
export interface Listening {
  readonly port: number;
  readonly listener: Listener;
  readonly clock: FakeClock;
  readonly votes: readonly ReceivedVote[];
  /** `code service sender`, in order, without empty parts. */
  readonly refusals: readonly string[];
  /** Resolves when this many votes have been passed on. */
  voted(count: number): Promise<void>;
  /** Resolves when this many refusals have been counted. */
  refused(count: number): Promise<void>;
}

export type Settings = Partial<Omit<ListenerParts, 'clock'>> & {
  /** Answers a vote; by default it is stored. */
  readonly accept?: VoteIntake['accept'];
};

/** A list whose length can be awaited. */
function watched<Item>() {
  const items: Item[] = [];
  const waiting: (() => void)[] = [];
  const add = (item: Item): void => {
    items.push(item);
    for (const tell of waiting.splice(0)) tell();
  };
  const reaches = async (count: number): Promise<void> => {
    while (items.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { items, add, reaches };
}

/** Only the listener, without intake and ledger, with a clock that stands still. Closed with the test. */
export async function listening({ accept, ...settings }: Settings = {}): Promise<Listening> {
  const votes = watched<ReceivedVote>();
  const refusals = watched<string>();
  const clock = new FakeClock();
  const intake: VoteIntake = {
    tokenOf: (service) => (service === 'Nobody' ? null : TOKEN),
    accept: (vote) => {
      votes.add(vote);
      return accept === undefined ? Promise.resolve(null) : accept(vote);
    },
  };
  const counter = {
    count: (code: RefusalCode, service: string | null, sender: string) =>
      refusals.add([code, service ?? '', sender].filter((part) => part !== '').join(' ')),
  };
  const listener = new Listener({
    host: '127.0.0.1',
    port: 0,
    protocols: ['v1', 'v2'],
    proxyProtocol: 'off',
    isTrustedProxy: () => true,
    deadlineMs: 5_000,
    maxConnections: 1024,
    maxConnectionsPerAddress: 32,
    privateKey: testPrivateKey,
    random: systemRandom,
    intake,
    refusals: counter,
    ...settings,
    clock,
    log: silentLog,
  });
  const { port } = await listener.listen();
  onTestFinished(async () => {
    const closed = listener.close();
    clock.advance(60_000);
    await closed;
  });
  return {
    port,
    listener,
    clock,
    votes: votes.items,
    refusals: refusals.items,
    voted: votes.reaches,
    refused: refusals.reaches,
  };
}

/** An intake that answers only when the test says so. */
export function slowIntake(): {
  accept: VoteIntake['accept'];
  release: (code?: RefusalCode | null) => void;
} {
  const waiting: ((code: RefusalCode | null) => void)[] = [];
  return {
    accept: () => new Promise((resolve) => waiting.push(resolve)),
    release: (code = null) => {
      for (const resolve of waiting.splice(0)) resolve(code);
    },
  };
}

/** Whether a promise has resolved once everything in transit on loopback has been handled. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  const elsewhere = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  for (let exchange = 0; exchange < 5; exchange++) {
    const socket = connect((elsewhere.address() as AddressInfo).port, '127.0.0.1').resume();
    await once(socket, 'close');
  }
  elsewhere.close();
  return settled;
}
