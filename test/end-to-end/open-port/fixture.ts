/** A Teller as a process, whose port is open to everyone, and genuine senders, who vote whatever else reaches it. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { apart, typedHere } from '../../kit/apart.ts';
import { furnish, type Place } from '../../kit/place.ts';
import { sendV2 } from '../../kit/vote.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { median } from '../../support/seeded.ts';
import { VotifierClient } from '../../support/votifier-client.ts';

/** A generous bound: a process that keeps nothing of a flood grows far less. */
const MAX_GROWTH_MIB = 150;
const MIN_VOTES_MEANWHILE = 10;
/** The pause between two genuine votes. Without it they would keep a core busy. */
const PAUSE_MS = 10;
/** For tests that wait for the deadline. All other limits are the default ones. */
export const SHORT_DEADLINE = { listener: { host: '127.0.0.1', port: 0, deadline: '1s' } };
export const OK = '{"status":"ok"}\r\n';

export interface LogLine {
  readonly code?: string;
  readonly msg: string;
  /** The ID of the vote, if the line is about one. */
  readonly vote?: number;
  /** How many refusals a summary counts. */
  readonly refused?: number;
}

export type OpenPort = Awaited<ReturnType<typeof openPort>>;

/** Starts it. A genuine sender votes before anything else reaches its port. @param within words before the command. */
export async function openPort(more: object = {}, within: readonly string[] = []) {
  const place = furnish(temporaryFolder(), { rewards: [], ...more });
  const running = await apart(place, within);
  const { port } = running.ready.listener;
  const genuine = new GenuineSenders(port, running.process.pid ?? 0);
  await genuine.vote('127.0.0.1');
  const logLines = (): readonly LogLine[] =>
    running
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    ...place,
    ...{ port, genuine },
    /** Stops it with exit code 0, which stores the last figures. */
    stop: async () => expect(await running.stop()).toBe(0),
    /** The log without the line that each vote has. */
    notAboutVotes: () => logLines().filter(({ vote }) => vote === undefined),
  };
}

interface Answer {
  readonly player: string;
  readonly answer: string;
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
  ) {}

  get growthMiB(): number {
    return this.maxMiB - this.minMiB;
  }

  async vote(from: string): Promise<void> {
    const player = `Voter${voters++}`;
    const started = performance.now();
    const answer = await sendV2(this.port, { player, from }).catch(String);
    this.answers.push({ player, answer, ms: performance.now() - started });
    this.measureMemory();
  }

  /** Votes from these addresses in turn until `work` is done, and once more from each after it. */
  async during<Result>(from: readonly string[], work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const result = work.finally(() => (isDone = true));
    result.catch(() => {}); // An error is thrown below, after the current vote has been answered.
    for (let turn = 0; !isDone || turn < MIN_VOTES_MEANWHILE; turn++) {
      await this.vote(from[turn % from.length] ?? '');
      await sleep(PAUSE_MS);
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

// biome-ignore lint/suspicious/noExplicitAny: rows as the command prints them
export const votesOf = async (place: Place): Promise<readonly any[]> =>
  (await typedHere(place, 'votes', '--limit', '99999', '--json')).json;

/**
 * Every genuine vote was accepted, most within a second, the ledger holds exactly one vote for each of them and of `others`,
 * and the memory of the process has hardly grown.
 */
export async function expectServed(target: OpenPort, others: readonly string[] = []): Promise<void> {
  const { answers, growthMiB } = target.genuine;
  expect(answers.filter(({ answer }) => answer !== 'ok')).toEqual([]);
  expect(median(answers.map(({ ms }) => ms))).toBeLessThan(1_000);
  const voted = [...answers.map(({ player }) => player), ...others];
  expect((await votesOf(target)).map(({ player }) => player).toSorted()).toEqual(voted.toSorted());
  expect(growthMiB).toBeLessThan(MAX_GROWTH_MIB);
}

/** The number of refusals by code, from all senders. */
export async function refusalCounts(place: Place): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const [{ refusals, noise }] = (await typedHere(place, 'explain', 'Nobody_voted', '--json')).json;
  for (const { code, count } of [...refusals, ...noise]) counts[code] = (counts[code] ?? 0) + count;
  return counts;
}

/** The log counts this many refusals in fewer than a dozen lines. */
export function expectSummedUp({ notAboutVotes }: OpenPort, refusals: number): void {
  const lines = notAboutVotes();
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
