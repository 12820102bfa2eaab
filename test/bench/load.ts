/**
 * The load: sends votes over several connections at once and prints one line of JSON. It has its own process, so that
 * its CPU time is not the listener's. v1 blocks are encrypted before the measurement starts. One JSON argument: a
 * `LoadOrder`.
 */
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Seeded } from '../support/seeded.ts';
import { maximum, percentile } from './report.ts';
import { type Ballot, exchange, isAnsweredOk, SERVICES, v1Text, v2Frame, zipf } from './votes.ts';

export interface LoadOrder {
  readonly host?: string | undefined;
  readonly port: number;
  readonly version: 'v1' | 'v2';
  /** By default the one of our own listeners. */
  readonly token?: string | undefined;
  /** Which service all votes are from; by default one of thirty. */
  readonly service?: string | undefined;
  readonly votes: number;
  readonly connections: number;
  /** No vote is sent later than this after the start. */
  readonly seconds: number;
  /** Differs from run to run, so that no vote is sent twice. */
  readonly run: number;
  /** The folder of the listener's keys, for v1. */
  readonly keys?: string;
  /** How many players the ledger knows: votes are theirs, by Zipf's law. Otherwise each is for another new player. */
  readonly players?: number;
  /** Votes a second, one every so often, as long as the listener keeps up. Otherwise as fast as it answers. */
  readonly perSecond?: number;
}

export type Load = typeof load;

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder;
const { host = '127.0.0.1', port, version, token, connections, run, keys = '', players, perSecond } = order;
const seeded = new Seeded(run);
const random = () => seeded.next();
/** Elsewhere only one address is there. */
const ADDRESSES = process.platform === 'linux' && host.startsWith('127.') ? 64 : 1;
const drawPlayer = players === undefined ? null : zipf(players, random);
const startedAt = Date.now();

const ballot = (number: number): Ballot => ({
  serviceName: order.service ?? SERVICES[Math.floor(random() * SERVICES.length)] ?? '',
  username: drawPlayer === null ? `N${run}_${number}` : `P${drawPlayer()}`,
  address: '192.0.2.1',
  // Other times than those of other runs in the same seconds, so that no two votes are the same one.
  timestamp: startedAt + number,
});

function v1Blocks(count: number): Buffer[] {
  const text = readFileSync(join(keys, 'public.key'), 'utf8');
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  return Array.from({ length: count }, (_, number) => {
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(v1Text(ballot(number))));
  });
}

const blocks = version === 'v1' ? v1Blocks(order.votes) : [];
const latencies: number[] = [];
let failed = 0;

async function send(number: number): Promise<void> {
  const began = performance.now();
  const address = ADDRESSES === 1 ? {} : { localAddress: `127.0.1.${1 + (number % ADDRESSES)}` };
  const block = (greeting: string): Buffer => blocks[number] ?? v2Frame(ballot(number), greeting, token);
  const result = await exchange({ host, port, block, ...address });
  latencies.push(performance.now() - began);
  // v1 votes get no answer.
  const isAnswered = version === 'v1' ? !result.isBroken : isAnsweredOk(result);
  if (!isAnswered) failed++;
}

const began = performance.now();
const isOver = (): boolean => performance.now() - began > order.seconds * 1_000;
let next = 0;
const isDue = async (number: number): Promise<void> => {
  if (perSecond !== undefined) await pause(began + (number / perSecond) * 1_000 - performance.now());
};
const worker = async (): Promise<void> => {
  while (next < order.votes && !isOver()) {
    const number = next++;
    await isDue(number);
    await send(number);
  }
};
await Promise.all(Array.from({ length: connections }, worker));
const seconds = (performance.now() - began) / 1_000;
const load = {
  votes: latencies.length,
  failed,
  seconds,
  medianMs: percentile(latencies, 0.5),
  p99Ms: percentile(latencies, 0.99),
  maxMs: maximum(latencies),
};
process.stdout.write(`${JSON.stringify(load)}\n`);
