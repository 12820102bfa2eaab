import { join } from 'node:path';
import type { DecisionKind } from '../../src/core/decide.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { randomFor } from './chance.ts';
import { type Kept, readKept } from './kept.ts';
import { type Death, Lives } from './lives.ts';
import { brokenPromises } from './promises.ts';
import { notRecorded } from './vote-promises.ts';
import type { Road } from './votes.ts';
import { startWorld, type World } from './world.ts';

export interface CrashWanted {
  /** How Teller is started. */
  readonly command: readonly string[];
  /** An empty folder. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed votes and kills alike; when exactly a kill strikes is the machine's. */
  readonly seed: number;
  readonly told?: (kills: number, votes: number) => void;
}

export interface CrashReport {
  /** With kill -9, however far Teller was. */
  readonly kills: number;
  readonly deaths: Readonly<Record<Death, number>>;
  readonly sent: number;
  readonly answered: number;
  /** Tellings by road; the API is asked, so that for it they are votes. */
  readonly byRoad: Readonly<Record<Road, number>>;
  /** Tellings of votes that an earlier life had been told. */
  readonly repeats: number;
  readonly recorded: number;
  readonly decisions: Readonly<Partial<Record<DecisionKind, number>>>;
  /** By the game servers' own word. */
  readonly commandsRun: number;
  readonly unknown: number;
  readonly refused: number;
  /** What must not be; empty where every promise was kept. */
  readonly broken: readonly string[];
}

const SETTLED_WITHIN_MS = 60_000;
const LOOKED_EVERY_MS = 250;
/** Catch-up asks the API 25 times a minute, for at most 100 votes; within its overlap it begins anew at each start. */
const LISTED_PER_MINUTE = 2_000;

/** Votes pour in by all roads while Teller is killed again and again; then it is held to its promises. */
export async function crashRun({ command, folder, kills, seed, told }: CrashWanted): Promise<CrashReport> {
  const world = await startWorld(folder, seed);
  const lives = new Lives(world, randomFor(seed, 'lives'), command, folder);
  try {
    while (lives.kills < kills) {
      await lives.one();
      told?.(lives.kills, world.votes.length);
    }
    const deaths = { ...lives.deaths };
    await lives.lastOne(async (at) => {
      await world.telling.last(at);
      await inLedger(folder, (ledger) => untilSettled(world, ledger));
    });
    return await inLedger(folder, (ledger) => report(world, ledger, lives, deaths));
  } finally {
    await world.close();
  }
}

async function inLedger<Result>(folder: string, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = openLedger(join(folder, 'data/teller.db'), 'read', systemClock);
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

/** Recovery has found what it can, and nothing is left to be paid. */
async function untilSettled({ votes }: World, ledger: Ledger): Promise<void> {
  const listed = votes.filter(({ roads }) => roads.includes('api')).length;
  const giveUpAt = systemClock.monotonic() + SETTLED_WITHIN_MS * (1 + listed / LISTED_PER_MINUTE);
  while (systemClock.monotonic() < giveUpAt) {
    const { pending = 0, waiting = 0 } = await ledger.grantStates();
    if (pending + waiting === 0 && notRecorded(votes, (await readKept(ledger)).votes).length === 0) return;
    await new Promise((resolve) => systemClock.after(LOOKED_EVERY_MS, () => resolve(null)));
  }
}

async function report(
  world: World,
  ledger: Ledger,
  { kills, faults }: Lives,
  deaths: CrashReport['deaths'],
): Promise<CrashReport> {
  const kept = await readKept(ledger);
  const ran = world.minecraft.heard();
  const outcomes = countBy(commandsOf(kept), ({ outcome }) => outcome ?? 'not tried');
  return {
    ...{ kills, deaths, sent: world.votes.length },
    answered: world.votes.filter(({ isAnswered }) => isAnswered).length,
    ...{ byRoad: world.telling.told, repeats: world.telling.repeats, recorded: kept.votes.length },
    decisions: countBy(kept.votes, ({ decision }) => decision),
    commandsRun: ran.total + world.receiver.heard.total,
    ...{ unknown: outcomes.unknown ?? 0, refused: outcomes.refused ?? 0 },
    broken: [...faults, ...(await brokenPromises(world, ran, kept, ledger))],
  };
}

const commandsOf = ({ grants }: Kept) => [...grants.values()].flat().flatMap(({ commands }) => commands);

function countBy<Item, Key extends string>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
