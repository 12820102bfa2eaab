/** How parts of the benchmark measure: sizes, Tellers, filled ledgers, and samples of votes. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { FilledLedger } from './big-ledger.ts';
import type { Load, LoadOrder } from './load.ts';
import type { Usage } from './probe.ts';
import { type Installed, type Measured, runScript, type StartOptions, start } from './processes.ts';
import { type BarId, median, sum } from './report.ts';
import { SERVICES, TOKEN } from './votes.ts';

/** How much is measured: `npm run bench`, or with `--quick`. */
export interface Sizes {
  /** Rounds of measurements that are compared in pairs. */
  readonly rounds: number;
  /** Votes of each measurement. */
  readonly votes: number;
  /** Votes before it, so that a listener is warm. */
  readonly warming: number;
  /** Votes in the two filled ledgers. */
  readonly ledgers: readonly [number, number];
  /** Grants that wait on each of three game servers. */
  readonly backlog: number;
  /** Votes between two measurements of memory, and grants that wait for their players. */
  readonly many: number;
  /** How long an activity is watched. */
  readonly watchSeconds: number;
}

export const SIZES: Readonly<Record<'full' | 'quick', Sizes>> = {
  full: {
    ...{ rounds: 7, votes: 3_000, warming: 40_000, ledgers: [1_000_000, 10_000_000] },
    ...{ backlog: 2_000, many: 100_000, watchSeconds: 20 },
  },
  quick: {
    ...{ rounds: 2, votes: 500, warming: 500, ledgers: [10_000, 50_000] },
    ...{ backlog: 100, many: 2_000, watchSeconds: 3 },
  },
};

/** A listener that was started by someone else. */
export interface OtherListener {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
  /** Which service votes are from, if it does not take them from every one. */
  readonly service: string | undefined;
}

/** What a part of the benchmark uses. */
export interface Bench {
  readonly installed: Installed;
  readonly sizes: Sizes;
  /** Flags of node for the Teller that takes the votes of the part `intake`: with `--profile`, a CPU profile. */
  readonly profiling: readonly string[];
  /** Another listener that runs already; null if none was named. */
  readonly other: OtherListener | null;
  /** A new folder, removed at the end. */
  folder(name: string): string;
  /** A Teller whose ledger has this many votes; created if necessary, and then used by all parts. */
  filled(votes: number): Promise<Filled>;
  /** Shows what is being measured. */
  say(line: string): void;
  /** Adds a row of figures to the table of this part. */
  row(row: string, figures: Readonly<Record<string, number>>, barOf?: Readonly<Record<string, BarId>>): void;
  skip(why: string): void;
}

const PASSWORD = 'bench-password';

/** Where a Teller of this folder keeps its ledger and its keys. */
export const ledgerIn = (folder: string): string => join(folder, 'data/teller.db');
export const keysIn = (folder: string): string => join(folder, 'data/keys');

/** A game server at this port of loopback, by default where none listens. */
export const rcon = (port: number, overrides: object = {}) => ({
  ...{ kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD },
  ...overrides,
});

export const UNREACHABLE = rcon(1);

/** Two grants for each rewarded vote. */
export const TWO_REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
  { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] },
];

/** The same, both for players who are online: while nobody is, no command runs. */
export const TWO_WAITING = TWO_REWARDS.map((reward) => ({ ...reward, when: 'online' }));

const waiting = (name: string, written: object, more: object = {}) => ({
  ...{ name, when: 'online', if: written, commands: ['give {player} emerald 1'] },
  ...more,
});

/**
 * The two rewards that every rewarded vote earns, and eleven with every condition that there is. Few votes earn one of
 * these, because grants cost what they cost whatever they are granted for: at most one vote in ten earns a third one.
 */
export const ALL_CONDITIONS = [
  ...TWO_WAITING,
  waiting('each-25', { votes: { every: 25 } }),
  waiting('steps', { votes: { at: [50, '100..1000 step 100'], of: 'site' } }),
  waiting('busy-month', { votes: { at: [200], of: 'month' } }),
  waiting('everyone', { votes: { every: 1_000, of: 'network' } }),
  waiting('welcome', { firstVote: true, between: ['2020-12-24', '2020-12-27'] }),
  waiting('week', { streak: 7 }),
  waiting('patient', { streak: { length: 30, repeat: true, forgive: { missed: 2, in: 7 } } }),
  waiting('everywhere', { allSites: true }),
  waiting('back', { returning: '365d' }),
  waiting('either', {
    any: [{ weekday: ['sat'], firstVote: 'day' }, { votes: { at: [10], of: 'week' } }],
    not: { site: SERVICES[0] },
    hours: '03:00-03:05',
  }),
  waiting('lucky', { chance: '2%' }, { limit: { per: 'player', count: 3, within: 'day' } }),
];

/** Writes a config into a folder; the first start creates keys and ledger. @returns its file. */
export function writeConfig(folder: string, overrides: object = {}): string {
  mkdirSync(join(folder, 'data'), { recursive: true });
  const base = {
    console: { port: 0 },
    listener: { host: '127.0.0.1', port: 0, maxConnections: 2_000 },
    sites: { default: { token: TOKEN }, ...Object.fromEntries(SERVICES.map((name) => [name, {}])) },
    gameServers: { main: UNREACHABLE },
    rewards: [],
  };
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ ...base, ...overrides }));
  return file;
}

/** Starts the installed Teller with this config. */
export const startTeller = (
  { installed }: Pick<Bench, 'installed'>,
  folder: string,
  overrides: object = {},
  options: StartOptions = {},
): Promise<Measured> =>
  start(installed, [installed.cli, 'run', '--config', writeConfig(folder, overrides)], options);

/** Grows when other rows are generated, so that kept ledgers are filled again. */
const GENERATION = 6;

export interface Filled extends FilledLedger {
  /** With config and ledger of a Teller. */
  readonly folder: string;
  readonly votes: number;
}

/**
 * Fills ledgers in a folder, each once. Those that are there from an earlier run are used again if this version would
 * fill them in the same way. Each begins as a Teller has made it.
 */
export function fillingIn(parent: string, work: string, installed: Installed, say: (line: string) => void) {
  const empty = join(work, 'empty');
  return async (votes: number): Promise<Filled> => {
    if (!existsSync(empty)) await (await startTeller({ installed }, empty, { rewards: TWO_REWARDS })).stop();
    const database = new Sqlite(ledgerIn(empty), { readonly: true });
    const version = `${database.pragma('user_version', { simple: true })}.${GENERATION}`;
    database.close();
    const folder = join(parent, String(votes));
    const marker = join(folder, 'filled.json');
    const known = existsSync(marker) ? JSON.parse(readFileSync(marker, 'utf8')) : null;
    if (known?.version === version) return { ...known, folder, votes };
    rmSync(folder, { recursive: true, force: true });
    cpSync(empty, folder, { recursive: true });
    const order = { file: ledgerIn(folder), votes, now: Date.now() };
    const tell = (line: string): void => say(`ledger of ${votes.toLocaleString('en-US')} votes: ${line}`);
    const filled = await runScript<FilledLedger>(installed, ['scripts', 'fill'], order, tell);
    writeFileSync(marker, JSON.stringify({ version, ...filled }));
    return { ...filled, folder, votes };
  };
}

/** A listener, and how votes are sent to it. */
export interface Target extends Pick<LoadOrder, 'version' | 'token' | 'service' | 'keys' | 'players'> {
  readonly name: string;
  readonly server: Pick<Measured, 'ready' | 'usage'>;
}

export type LoadSize = Pick<LoadOrder, 'votes' | 'connections'> &
  Partial<Pick<LoadOrder, 'seconds' | 'perSecond'>>;

export interface Sample extends Load {
  /** CPU seconds of the listener for each 1,000 votes. */
  readonly cpuPer1000: number;
  /** CPU microseconds of the ledger's thread for each vote, if its threads are probed. */
  readonly ledgerUs: number;
  /** The delays of its event loop. */
  readonly loop: Pick<Usage, 'p999Ms' | 'maxMs'>;
}

/** A load that takes longer is cut short. */
const SECONDS_MAX = 30;
let run = 0;

/** Sends votes and measures the listener meanwhile. */
export async function sample(bench: Bench, target: Target, size: LoadSize): Promise<Sample> {
  const { name: _, server, ...how } = target;
  const order: LoadOrder = { ...server.ready.listener, seconds: SECONDS_MAX, ...how, ...size, run: ++run };
  const before = await server.usage();
  const load = await runScript<Load>(bench.installed, ['load'], order);
  const after = await server.usage();
  return {
    ...load,
    cpuPer1000: ((after.cpu - before.cpu) / load.votes) * 1_000,
    ledgerUs: ((after.ledgerCpu - before.ledgerCpu) / load.votes) * 1e6,
    loop: after,
  };
}

/** Measures the targets in turn, round by round, so that what else the machine does affects all of them. @returns the samples of a name. */
export async function interleaved(bench: Bench, targets: readonly Target[], size: LoadSize) {
  const { rounds } = bench.sizes;
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      bench.say(`${size.connections} connections, round ${round + 1} of ${rounds}: ${target.name}`);
      samples.get(target.name)?.push(await sample(bench, target, size));
    }
  return (name: string): readonly Sample[] => samples.get(name) ?? [];
}

/** The medians of the rounds. */
export const loadFigures = (samples: readonly Sample[]) => ({
  'votes/s': median(samples.map(({ votes, seconds }) => votes / seconds)),
  'CPU s/1,000': median(cpuOf(samples)),
  'median ms': median(samples.map(({ medianMs }) => medianMs)),
  'p99 ms': median(samples.map(({ p99Ms }) => p99Ms)),
  failed: sum(samples.map(({ failed }) => failed)),
});

export const cpuOf = (samples: readonly Sample[]): number[] => samples.map(({ cpuPer1000 }) => cpuPer1000);
