import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { instantOf, localDay } from '../core/local-time.ts';
import { Problem } from '../core/problem.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { openTemporaryLedger } from '../ledger/sqlite/temporary.ts';
import { FigureCounter, type Figures } from '../operator/simulation/month/figures.ts';
import { type MonthPlan, monthVotes, PLACES_MAX, placesOf } from '../operator/simulation/month/voters.ts';
import { simulate } from '../operator/simulation/simulate.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Rules, Top } from '../rewards/reward.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { type ExitCode, printJson } from './command.ts';
import { noteOlderConfig } from './older-config.ts';
import { monthJson, printMonth } from './preview-month-print.ts';
import { showProgress } from './send-progress.ts';
import { readConfig } from './with-ledger.ts';

/** What a simulation of many votes is given. */
export interface MonthOptions {
  readonly config: string;
  readonly json?: true;
  readonly at: number | undefined;
  readonly votes: number | undefined;
  readonly days: number | undefined;
  readonly voters: number | undefined;
  readonly seed: number;
}

const DAYS = 30;
const VOTERS = 40;

/** Simulates players who vote on the config's sites, and prints what they are granted. */
export async function previewMonth(
  options: MonthOptions,
  terminal: Terminal,
  systemClock: Clock,
): Promise<ExitCode> {
  const { days = DAYS, voters = VOTERS, votes, seed } = options;
  const { config, clock } = await readConfig(options.config, terminal, systemClock);
  await noteOlderConfig(config, terminal, options.json);
  const zone = zoneOf(config, clock);
  const from = instantOf({ day: localDay(options.at ?? clock.now(), zone), minute: 0 }, zone);
  const plan: MonthPlan = { days, voters, votes, from, zone };
  requireFewPlaces(plan, config);
  const cast = monthVotes(plan, config, seededRandom(seed));
  const sites = placesOf({ voters: 1, days: 1 }, config);
  const planned = { players: voters, days, from: localDay(from, zone) };
  const { tops } = config;
  const end = instantOf({ day: planned.from + days, minute: 0 }, zone);
  // So that also the last of its periods is settled.
  const until = end + Math.max(0, ...tops.map(({ settleMs }) => settleMs));
  const simulation = { cast, rules: rulesOf(config, zone), tops, until, seed, sites, planned };
  await printFigures(simulation, options.json, terminal, clock);
  return 0;
}

function requireFewPlaces(plan: MonthPlan, config: Config): void {
  if (placesOf(plan, config) <= PLACES_MAX) return;
  const most = PLACES_MAX.toLocaleString('en');
  throw new Problem(
    'usage',
    `--voters times --days times the sites of the config may be at most ${most}; use fewer voters or days`,
  );
}

/** Votes to simulate. */
export interface Simulation {
  readonly cast: readonly JudgedArrival[];
  readonly rules: Rules;
  readonly tops: readonly Top[];
  /** Absent: time ends with the last vote. */
  readonly until?: number | null;
  readonly seed: number;
  readonly sites: number;
  /** Absent: the players who vote, and the days from the first vote to the last. */
  readonly planned?: { readonly players: number; readonly days: number; readonly from: number };
}

/** Simulates votes, and prints what is granted for them. */
export async function printFigures(
  simulation: Simulation,
  isJson: true | undefined,
  terminal: Terminal,
  clock: Clock,
): Promise<void> {
  const { cast, seed, sites, rules, planned } = simulation;
  const figures = await figuresOf(simulation, terminal, clock);
  const [from = 0, to = 0] = [cast[0], cast.at(-1)].map((each) =>
    localDay(each?.vote.castAt ?? 0, rules.zone),
  );
  const month = { ...figures, days: to - from + 1, from, ...planned, seed, sites };
  if (isJson) printJson(terminal, monthJson(month));
  else printMonth(terminal, month);
}

async function figuresOf(
  { cast, rules, tops, until = null, seed, planned }: Simulation,
  terminal: Terminal,
  clock: Clock,
): Promise<Figures> {
  const counter = new FigureCounter(rules, tops);
  const ledger = await openTemporaryLedger(clock);
  let done = 0;
  const view = { total: cast.length, done: () => done, did: 'simulated', interrupted: () => {} };
  const progress = await showProgress(view, terminal, clock);
  try {
    for await (const batch of simulate(ledger, cast, rules, seed, { tops, until, online: null })) {
      for (const vote of batch) counter.add(vote);
      done += batch.length;
    }
  } finally {
    progress.stop();
    await ledger.close();
  }
  return counter.figures(planned?.players);
}
