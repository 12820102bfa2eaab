import { createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import type { Connect } from '../../../src/sender/connection.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../../support/config-folder.ts';
import { startTeller } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';

/** Generous: what a flood leaves behind in a process that keeps nothing of it is far less. */
const MOST_GROWTH_MIB = 150;
const LEAST_VOTES_MEANWHILE = 10;
/** Between two votes: without it they alone would keep a core busy. */
const PACE_MS = 10;
/** For stories that wait the deadline out. All other limits are the default ones. */
export const SHORT_DEADLINE = { listener: { host: '127.0.0.1', port: 0, deadline: '1s' } };

export interface LogLine {
  readonly code?: string;
  readonly msg: string;
  /** The vote that it is about. */
  readonly vote?: number;
  /** How many a summary sums up. */
  readonly refused?: number;
}

type Place = ReturnType<typeof configFolder>;
type ConnectFrom = (localAddress: string) => Connect;

export type OpenPort = Awaited<ReturnType<typeof serve>>;

/** A folder whose config lists the site that the genuine senders are. */
export const place = (overrides: object = {}): Place =>
  configFolder({ rewards: [], sites: { default: { token: TOKEN }, List: {} }, ...overrides });

const directly: ConnectFrom = (localAddress) => (host, port) => connect({ host, port, localAddress });

/** A real `teller run` on a port that anybody may reach. Its genuine senders have voted before anybody else. */
export async function serve(where: Place, connectFrom = directly) {
  const running = await startTeller(['run', '--config', where.config], where.folder);
  const { port } = running.ready.listener;
  const genuine = new GenuineSenders(port, running.process.pid ?? 0, connectFrom);
  await genuine.vote('127.0.0.1');
  return {
    ...where,
    port,
    genuine,
    /** Ends it properly, which stores the last figures. It has lived until then, and its whole log has been read. */
    stop: async () => {
      const closed = once(running.process, 'close');
      expect(await running.stop()).toBe(0);
      await closed;
    },
    logLines: () => linesOf(running.log()),
  };
}

export const openPort = (overrides: object = {}): Promise<OpenPort> => serve(place(overrides));

const linesOf = (log: string): LogLine[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export function publicKeyOf({ folder }: Place): KeyObject {
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

/** They vote properly, one after another, each for a player of his own, and look at the memory meanwhile. */
class GenuineSenders {
  readonly answers: Answer[] = [];
  private leastMiB = Number.POSITIVE_INFINITY;
  private mostMiB = 0;

  constructor(
    private readonly port: number,
    private readonly pid: number,
    private readonly connectFrom: ConnectFrom,
  ) {}

  get grownMiB(): number {
    return this.mostMiB - this.leastMiB;
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
    this.weigh();
  }

  /** Turn and turn about from these addresses until the other thing is over, and once more after it. */
  async during<Result>(from: readonly string[], work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    over.catch(() => {}); // It is thrown below, once the vote under way has been answered.
    for (let turn = 0; !isOver || turn < LEAST_VOTES_MEANWHILE; turn++) {
      await this.vote(from[turn % from.length] ?? '');
      await new Promise<void>((resolve) => systemClock.after(PACE_MS, resolve));
    }
    for (const address of from) await this.vote(address);
    return over;
  }

  private weigh(): void {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const mib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    this.leastMiB = Math.min(this.leastMiB, mib);
    this.mostMiB = Math.max(this.mostMiB, mib);
  }
}

/**
 * No genuine vote was refused or took a second, each is in the ledger once and besides them only those of `others`,
 * and the process has not grown.
 */
export async function expectServed(
  { genuine, ledger }: OpenPort,
  others: readonly string[] = [],
): Promise<void> {
  expect(genuine.answers.filter(({ code, ms }) => code !== 'accepted' || ms >= 1_000)).toEqual([]);
  const rows = await lookInto(ledger).votes({ limit: 99_999 });
  const voted = [...genuine.answers.map(({ player }) => player), ...others];
  expect(rows.map(({ player }) => player).toSorted()).toEqual(voted.toSorted());
  expect(genuine.grownMiB).toBeLessThan(MOST_GROWTH_MIB);
}

/** How often each code was refused, whoever it was. */
export async function refusalCounts({ ledger }: Place): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code, count } of await lookInto(ledger).refusals(0))
    counts[code] = (counts[code] ?? 0) + count;
  return counts;
}

/** What an operator has to read besides a line for each vote. */
export const notAboutVotes = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ vote }) => vote === undefined);

export const sentencesOf = (lines: readonly LogLine[], code: string): string[] =>
  lines.filter((line) => line.code === code).map(({ msg }) => msg);

/** The log sums so many refusals up, and has a handful of lines in all. */
export function expectSummedUp({ logLines }: OpenPort, refusals: number): void {
  const lines = notAboutVotes(logLines());
  expect(lines.reduce((sum, { refused = 0 }) => sum + refused, 0)).toBe(refusals);
  expect(lines.length).toBeLessThan(12);
}

/** So many times, some at once. */
export async function times(
  count: number,
  task: (index: number) => Promise<unknown>,
  atOnce = 10,
): Promise<void> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) await task(begun++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Sends that on a connection of its own and stays until the listener has closed it. */
export async function knock(port: number, from: string, bytes: Buffer | string): Promise<string> {
  const client = await VotifierClient.open(port, from);
  client.write(bytes);
  return client.untilClosed();
}
