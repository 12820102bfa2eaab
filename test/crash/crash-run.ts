import { join } from 'node:path';
import type { DecisionKind } from '../../src/core/decide.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { randomFor } from './chance.ts';
import { type Environment, startEnvironment } from './environment.ts';
import { type Happenings, happeningsIn } from './happenings.ts';
import { allGrantsIn, type LedgerContents, readLedger } from './ledger-contents.ts';
import { type Ending, Lifetimes } from './lifetimes.ts';
import { brokenPromises } from './promises.ts';
import { type SettledDay, settledDays } from './tops.ts';
import { notRecorded } from './vote-promises.ts';
import type { Channel } from './votes.ts';

export interface CrashOptions {
  /** The program and the arguments before `run`. */
  readonly command: readonly string[];
  /** The program and the arguments before other commands. */
  readonly cli: readonly string[];
  /** An empty folder. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed gives the same votes and kills, but not the exact moment of a kill. */
  readonly seed: number;
  readonly onProgress?: (kills: number, votes: number) => void;
}

export interface CrashReport {
  /** The number of times that Teller was killed with kill -9. */
  readonly kills: number;
  readonly endings: Readonly<Record<Ending, number>>;
  readonly sent: number;
  readonly answered: number;
  /** How often votes were sent by each channel. For the API, which Teller asks, the number of votes it lists. */
  readonly byChannel: Readonly<Record<Channel, number>>;
  /** How many of these were votes that had been sent to an earlier process. */
  readonly repeats: number;
  readonly recorded: number;
  readonly decisions: Readonly<Partial<Record<DecisionKind, number>>>;
  /** As the game servers counted. */
  readonly commandsRun: number;
  readonly unknown: number;
  readonly refused: number;
  /** How often that happened which the promises are about. */
  readonly happenings: Happenings;
  /** The promises that were broken, in words. */
  readonly broken: readonly string[];
}

const UNCHANGED_FOR_MS = 60_000;
const POLL_EVERY_MS = 250;

/** Sends votes by all channels while Teller is killed repeatedly, then checks its promises. */
export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  const { command, folder, kills, seed, onProgress } = options;
  const environment = await startEnvironment(options);
  const lifetimes = new Lifetimes(environment, randomFor(seed, 'lives'), command, folder);
  const seen: SettledDay[] = [];
  try {
    while (lifetimes.kills < kills) {
      const { isLong } = await lifetimes.runOne();
      if (isLong) seen.push(...(await inLedger(folder, (ledger) => settledIn(environment, ledger))));
      onProgress?.(lifetimes.kills, environment.votes.length);
    }
    const endings = { ...lifetimes.endings };
    await lifetimes.runLast(async (at) => {
      await environment.operator.finish();
      await environment.traffic.finish(at);
      await inLedger(folder, (ledger) => untilFinished(environment, ledger));
    });
    return await inLedger(folder, (ledger) => report(environment, ledger, lifetimes, endings, seen));
  } finally {
    await environment.close();
  }
}

const settledIn = async ({ tops, startedAt }: Environment, ledger: Ledger): Promise<readonly SettledDay[]> =>
  (await settledDays(ledger, tops, startedAt)).settled;

async function inLedger<Result>(folder: string, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openLedger(join(folder, 'data/teller.db'), 'read', { clock: systemClock });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/**
 * Waits until recovery has recorded what it can, every top is settled, and no grant is waiting to be paid. On a slow disk
 * that takes minutes, so it gives up only when nothing has changed for a while.
 */
async function untilFinished(environment: Environment, ledger: Ledger): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  let giveUpAt = 0;
  for (;;) {
    const open = await openIn(environment, ledger);
    if (open === 0 || (open === before && systemClock.monotonic() > giveUpAt)) return;
    if (open !== before) giveUpAt = systemClock.monotonic() + UNCHANGED_FOR_MS;
    before = open;
    await new Promise((resolve) => systemClock.after(POLL_EVERY_MS, () => resolve(null)));
  }
}

/** How much is not finished. */
async function openIn({ votes, tops, startedAt }: Environment, ledger: Ledger): Promise<number> {
  const { pending = 0, waiting = 0 } = await ledger.grantStates();
  const unfixed = await ledger.reachedParties();
  const { missing } = await settledDays(ledger, tops, startedAt);
  const recorded = (await readLedger(ledger)).votes;
  const unlisted = recorded.filter(({ decision }) => decision === 'unlisted');
  return (
    pending +
    waiting +
    unfixed.length +
    missing.length +
    unlisted.length +
    notRecorded(votes, recorded).length
  );
}

async function report(
  environment: Environment,
  ledger: Ledger,
  { kills, faults }: Lifetimes,
  endings: CrashReport['endings'],
  seen: readonly SettledDay[],
): Promise<CrashReport> {
  const { votes, traffic, main, sky, receiver } = environment;
  const contents = await readLedger(ledger);
  const outcomes = countBy(commandsOf(contents), ({ outcome }) => outcome ?? 'not tried');
  return {
    ...{ kills, endings, sent: votes.length },
    answered: votes.filter(({ isAnswered }) => isAnswered).length,
    ...{ byChannel: traffic.sentBy, repeats: traffic.repeats, recorded: contents.votes.length },
    decisions: countBy(contents.votes, ({ decision }) => decision),
    commandsRun:
      [main, sky].reduce((sum, server) => sum + server.received().total, 0) + receiver.received.total,
    ...{ unknown: outcomes.unknown ?? 0, refused: outcomes.refused ?? 0 },
    happenings: happeningsIn(environment, contents),
    broken: [...faults, ...(await brokenPromises(environment, contents, ledger, seen))],
  };
}

const commandsOf = (contents: LedgerContents) => allGrantsIn(contents).flatMap(({ commands }) => commands);

function countBy<Item, Key extends string>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
