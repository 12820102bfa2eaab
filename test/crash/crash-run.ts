import { join } from 'node:path';
import type { Dice } from '../../src/core/dice.ts';
import { seededDice } from '../../src/core/seeded-dice.ts';
import type { CommandRow, GrantRow, Ledger, VoteRow } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { startVictim } from './victim.ts';
import { SITE, startWorld, type World } from './world.ts';

export interface CrashWanted {
  /** How Teller is started. */
  readonly command: readonly string[];
  /** An empty folder. */
  readonly folder: string;
  readonly kills: number;
  /** The same seed votes and kills alike; when exactly a kill strikes is the machine's. */
  readonly seed: number;
  readonly told?: (kill: number, votes: number) => void;
}

export interface CrashReport {
  readonly kills: number;
  readonly sent: number;
  readonly answered: number;
  readonly recorded: number;
  readonly commandsRun: number;
  readonly unknown: number;
  /** What must not be; empty where every promise was kept. */
  readonly broken: readonly string[];
}

const LIFE_LEAST_MS = 30;
const LIFE_MOST_MS = 400;
const SETTLED_WITHIN_MS = 60_000;
/** Catch-up asks the API 25 times a minute, for at most 100 votes; within its overlap it begins anew at each start. */
const LISTED_PER_MINUTE = 2_000;

/** Votes pour in by all roads while Teller is killed again and again; then it is held to its promises. */
export async function crashRun({ command, folder, kills, seed, told }: CrashWanted): Promise<CrashReport> {
  const dice = seededDice(seed);
  const world = await startWorld(folder, dice);
  try {
    for (let kill = 1; kill <= kills; kill++) {
      await liveAndDie(world, command, folder, dice);
      told?.(kill, world.votes.length);
    }
    const last = await startVictim(command, folder);
    const ledger = openLedger(join(folder, 'data/teller.db'), 'read', systemClock);
    await untilSettled(world, ledger);
    const report = await held(world, ledger, kills);
    ledger.close();
    await last.kill();
    return report;
  } finally {
    await world.close();
  }
}

async function liveAndDie(
  world: World,
  command: readonly string[],
  folder: string,
  dice: Dice,
): Promise<void> {
  const victim = await startVictim(command, folder);
  const lifeMs = LIFE_LEAST_MS + dice.roll() * (LIFE_MOST_MS - LIFE_LEAST_MS);
  let isAlive = true;
  const pouring = (async () => {
    while (isAlive) await world.voteSome(1 + Math.floor(dice.roll() * 6), victim.at);
  })();
  await new Promise((resolve) => systemClock.after(lifeMs, () => resolve(undefined)));
  await victim.kill();
  isAlive = false;
  await pouring;
}

/** Recovery has found what it can, and nothing is left to be paid. */
async function untilSettled({ votes }: World, ledger: Ledger): Promise<void> {
  const listed = votes.filter(({ roads }) => roads.includes('api')).length;
  const withinMs = SETTLED_WITHIN_MS * (1 + listed / LISTED_PER_MINUTE);
  const giveUpAt = systemClock.monotonic() + withinMs;
  for (;;) {
    const { pending = 0, waiting = 0 } = await ledger.grantStates();
    if (pending + waiting === 0 && notRecorded(votes, await allVotes(ledger)).length === 0) return;
    if (systemClock.monotonic() > giveUpAt) return;
    await new Promise((resolve) => systemClock.after(500, () => resolve(undefined)));
  }
}

/** The promises, one by one. */
async function held({ votes, practice }: World, ledger: Ledger, kills: number): Promise<CrashReport> {
  const rows = await allVotes(ledger);
  const runs = runsOf(practice);
  const broken = notRecorded(votes, rows);
  let unknown = 0;
  for (const row of rows) {
    const grants = await ledger.grants({ voteId: row.id, limit: 9 });
    broken.push(...brokenGrants(row, grants, runs));
    unknown += grants
      .flatMap(({ commands }) => commands)
      .filter(({ outcome }) => outcome === 'unknown').length;
  }
  for (const [command, times] of runs) if (times > 1) broken.push(`“${command}” ran ${times} times`);
  return {
    ...{ kills, sent: votes.length, recorded: rows.length, unknown, broken },
    answered: votes.filter(({ isAnswered }) => isAnswered).length,
    commandsRun: [...runs.values()].reduce((sum, times) => sum + times, 0),
  };
}

/** How often each command ran, by the game server's own word. */
function runsOf(practice: World['practice']): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const { command } of practice.commands()) {
    if (command.startsWith('say ')) runs.set(command, (runs.get(command) ?? 0) + 1);
  }
  return runs;
}

function notRecorded(votes: World['votes'], rows: readonly VoteRow[]): string[] {
  const players = new Set(rows.map(({ player }) => player));
  const twice = rows.length - players.size;
  const missing = votes
    .filter(({ isAnswered, roads }) => isAnswered || roads.includes('api'))
    .filter(({ player }) => !players.has(player))
    .map(
      ({ player, isAnswered }) => `${player} was ${isAnswered ? 'answered' : 'listed'} and is not recorded`,
    );
  return twice === 0 ? missing : [...missing, `${twice} votes are recorded twice`];
}

function brokenGrants(
  row: VoteRow,
  grants: readonly GrantRow[],
  runs: ReadonlyMap<string, number>,
): string[] {
  const broken = grants.flatMap(({ commands }) =>
    commands.flatMap((command) => brokenCommand(command, runs)),
  );
  const open = grants.filter(({ state }) => !['delivered', 'held'].includes(state));
  if (row.decision !== 'rewarded') broken.push(`${row.player} is ${row.decision}`);
  if (grants.length !== 2) broken.push(`${row.player} has ${grants.length} grants`);
  return [...broken, ...open.map(({ state }) => `a grant of ${row.player} is ${state}`)];
}

function brokenCommand({ command, outcome }: CommandRow, runs: ReadonlyMap<string, number>): string[] {
  const times = runs.get(command) ?? 0;
  if (outcome === 'delivered') return times === 1 ? [] : [`“${command}” is delivered and ran ${times} times`];
  return outcome === 'unknown' || times === 0 ? [] : [`“${command}” ran and is ${outcome ?? 'not tried'}`];
}

async function allVotes(ledger: Ledger): Promise<VoteRow[]> {
  const rows: VoteRow[] = [];
  for (;;) {
    const after = rows.at(-1)?.id;
    const page = await ledger.votes({ site: SITE, limit: 500, ...(after === undefined ? {} : { after }) });
    rows.push(...page);
    if (page.length < 500) return rows;
  }
}
