import { createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Connect } from '../../../src/sender/connection.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../../support/config-folder.ts';
import { median } from '../../support/median.ts';
import { startTeller } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';

/** A generous bound: a process that keeps nothing of a flood grows far less. */
const MAX_GROWTH_MIB = 150;
const MIN_VOTES_MEANWHILE = 10;
/** The pause between two genuine votes. Without it they would keep a core busy. */
const PAUSE_MS = 10;
/** For tests that wait for the deadline. All other limits are the default ones. */
export const SHORT_DEADLINE = { listener: { host: '127.0.0.1', port: 0, deadline: '1s' } };

export interface LogLine {
  readonly code?: string;
  readonly msg: string;
  /** The ID of the vote, if the line is about one. */
  readonly vote?: number;
  /** How many refusals a summary counts. */
  readonly refused?: number;
}

type Folder = ReturnType<typeof configFolder>;
type ConnectFrom = (localAddress: string) => Connect;

export type OpenPort = Awaited<ReturnType<typeof startTarget>>;

/** A folder whose config lists the site of the genuine senders. */
export const configFor = (overrides: object = {}): Folder =>
  configFolder({ rewards: [], sites: { default: { token: TOKEN }, List: {} }, ...overrides });

const directly: ConnectFrom = (localAddress) => (host, port) => connect({ host, port, localAddress });

/** Starts a real `teller run`. A genuine sender votes before anything else reaches its port. */
export async function startTarget(folder: Folder, connectFrom = directly) {
  const running = await startTeller(['run', '--config', folder.config], folder.folder);
  const { port } = running.ready.listener;
  const genuine = new GenuineSenders(port, running.process.pid ?? 0, connectFrom);
  await genuine.vote('127.0.0.1');
  return {
    ...folder,
    port,
    genuine,
    /** Stops it with exit code 0, which stores the last figures. Resolves when its whole log has been read. */
    stop: async () => {
      const closed = once(running.process, 'close');
      expect(await running.stop()).toBe(0);
      await closed;
    },
    logLines: () => linesOf(running.log()),
  };
}

export const openPort = (overrides: object = {}): Promise<OpenPort> => startTarget(configFor(overrides));

const linesOf = (log: string): LogLine[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export function publicKeyOf({ folder }: Folder): KeyObject {
  const text = readFileSync(join(folder, 'data/keys/public.key'), 'utf8');
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

interface Answer {
  readonly player: string;
  readonly from: string;
  readonly code: string;
  readonly ms: number;
}

let voters = 0;

/** Senders of valid votes, one at a time, each for another player. They also measure the memory of the process. */
class GenuineSenders {
  readonly answers: Answer[] = [];
  private minMiB = Number.POSITIVE_INFINITY;
  private maxMiB = 0;

  constructor(
    private readonly port: number,
    private readonly pid: number,
    private readonly connectFrom: ConnectFrom,
  ) {}

  get growthMiB(): number {
    return this.maxMiB - this.minMiB;
  }

  async vote(from: string): Promise<void> {
    const player = `Voter${voters++}`;
    const started = systemClock.monotonic();
    const { code } = await sendVote(
      { serviceName: 'List', username: player, address: '', timestamp: String(systemClock.now()) },
      { host: '127.0.0.1', port: this.port, auth: { version: 'v2', token: TOKEN } },
      { clock: systemClock, connect: this.connectFrom(from) },
    );
    this.answers.push({ player, from, code, ms: systemClock.monotonic() - started });
    this.measureMemory();
  }

  /** Votes from these addresses in turn until `work` is done, and once more from each after it. */
  async during<Result>(from: readonly string[], work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const result = work.finally(() => (isDone = true));
    result.catch(() => {}); // An error is thrown below, after the current vote has been answered.
    for (let turn = 0; !isDone || turn < MIN_VOTES_MEANWHILE; turn++) {
      await this.vote(from[turn % from.length] ?? '');
      await new Promise<void>((resolve) => systemClock.after(PAUSE_MS, resolve));
    }
    for (const address of from) await this.vote(address);
    return result;
  }

  private measureMemory(): void {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const mib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    this.minMiB = Math.min(this.minMiB, mib);
    this.maxMiB = Math.max(this.maxMiB, mib);
  }
}

/**
 * Every genuine vote was accepted, most within a second, the ledger holds exactly one vote for each of them and of `others`,
 * and the memory of the process has hardly grown.
 */
export async function expectServed(
  { genuine, ledger }: OpenPort,
  others: readonly string[] = [],
): Promise<void> {
  expect(genuine.answers.filter(({ code }) => code !== 'accepted')).toEqual([]);
  expect(median(genuine.answers.map(({ ms }) => ms))).toBeLessThan(1_000);
  const rows = await lookInto(ledger).votes({ limit: 99_999 });
  const voted = [...genuine.answers.map(({ player }) => player), ...others];
  expect(rows.map(({ player }) => player).toSorted()).toEqual(voted.toSorted());
  expect(genuine.growthMiB).toBeLessThan(MAX_GROWTH_MIB);
}

/** The number of refusals by code, from all senders. */
export async function refusalCounts({ ledger }: Folder): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code, count } of await lookInto(ledger).refusals(0))
    counts[code] = (counts[code] ?? 0) + count;
  return counts;
}

/** The log without the line that each vote has. */
export const notAboutVotes = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ vote }) => vote === undefined);

export const messagesOf = (lines: readonly LogLine[], code: string): string[] =>
  lines.filter((line) => line.code === code).map(({ msg }) => msg);

/** The log counts this many refusals in fewer than a dozen lines. */
export function expectSummedUp({ logLines }: OpenPort, refusals: number): void {
  const lines = notAboutVotes(logLines());
  expect(lines.reduce((sum, { refused = 0 }) => sum + refused, 0)).toBe(refusals);
  expect(lines.length).toBeLessThan(12);
}

/** Runs the task `count` times, at most `atOnce` at a time. */
export async function repeat(
  count: number,
  task: (index: number) => Promise<unknown>,
  atOnce = 10,
): Promise<void> {
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started < count) await task(started++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Sends the bytes on a new connection and waits until the listener closes it. Returns the answer. */
export async function sendBytes(port: number, from: string, bytes: Buffer | string): Promise<string> {
  const client = await VotifierClient.open(port, from);
  client.write(bytes);
  return client.untilClosed();
}
