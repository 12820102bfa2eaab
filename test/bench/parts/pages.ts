import { setTimeout as pause } from 'node:timers/promises';
import { linkFileIn } from '../../../src/console/access/files.ts';
import { readLink } from '../../../src/console/access/one-time-link.ts';
import { controlFolder } from '../../../src/operator/control/place.ts';
import { ALL_CONDITIONS } from '../all-conditions.ts';
import type { Bench } from '../bench-run.ts';
import { playersOf } from '../big-ledger.ts';
import { type Home, rcon, writeHome } from '../config.ts';
import { consolePages, type TimedPage } from '../console-pages.ts';
import { maximum, median, percentile, sum } from '../figures.ts';
import type { GameServerOrder } from '../game-server.ts';
import type { Delay } from '../probe.ts';
import { type Measured, runCommand, runScript, start } from '../processes.ts';
import type { PagesRead, PageTimes, ReadingOrder } from '../read-pages.ts';
import { type Sample, sample } from '../sampling.ts';

/** Each has first requests of its own. */
const STARTS = 3;
const READERS = 2;
const VOTES_PER_SECOND = 50;
const ONLINE = 20;
/** Until what a start does in the background has begun. */
const SETTLE_MS = 1_000;

const TOGETHER = {
  party: [{ name: 'crowd', every: 1_000, commands: ['give {player} cake 1'] }],
  tops: [{ name: 'month', period: 'month', prizes: { 1: ['give {player} beacon 1'] } }],
};

interface Running {
  readonly home: Home;
  readonly teller: Measured;
  /** Does nothing: the delay of its event loop is the machine's. */
  readonly control: Measured;
  readonly players: number;
}

/** What was measured after one start: votes alone, then the same votes while pages are read. */
interface Round {
  readonly alone: Watched;
  readonly during: Watched;
  readonly read: PagesRead;
  readonly rssMiB: number;
}

interface Watched {
  readonly votes: Sample;
  readonly delay: Delay;
  readonly machine: Delay;
}

/** How long the pages of the console take in a ledger of a million votes while votes arrive, and what they cost the votes. */
export async function pages(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const votes = sizes.ledgers[1];
  const players = playersOf(votes);
  const { folder } = await bench.filled(votes);
  const gameServer = await start(installed, [installed.script('game-server'), '1']);
  const names = Array.from({ length: ONLINE }, (_, index) => `P${index}`);
  await gameServer.ask<object>({ kind: 'players', names } satisfies GameServerOrder);
  const control = await start(installed, [installed.script('idle')]);
  const home = writeHome(folder, {
    console: { port: 0, metrics: 'open' },
    gameServers: { main: rcon(gameServer.ready.listener.port) },
    rewards: ALL_CONDITIONS,
    ...TOGETHER,
  });
  const timed = consolePages({
    ...{ votes, players, now: Date.now() },
    held: await newestGrant(bench, home, 'held'),
    paid: await newestGrant(bench, home, 'delivered'),
  });
  const rounds: Round[] = [];
  for (let number = 1; number <= STARTS; number++) {
    bench.say(`start ${number} of ${STARTS}`);
    const teller = await start(installed, [installed.cli, 'run', '--config', home.config]);
    rounds.push(await measure(bench, { home, teller, control, players }, timed));
    await teller.stop();
  }
  report(bench, rounds, timed);
  await control.stop();
  await gameServer.stop();
}

async function newestGrant(bench: Bench, { config }: Home, state: string): Promise<number> {
  const args = ['grants', '--state', state, '--limit', '1', '--json', '--config', config];
  const [grant] = JSON.parse((await runCommand(bench.installed, args)).out) as { readonly id: number }[];
  if (grant === undefined) throw new Error(`no grant is ${state}`);
  return grant.id;
}

async function measure(bench: Bench, running: Running, timed: readonly TimedPage[]): Promise<Round> {
  const { home, teller } = running;
  const seconds = bench.sizes.watchSeconds;
  await pause(SETTLE_MS);
  const link = await readLink(linkFileIn(controlFolder(home.ledger)));
  if (link === null) throw new Error('there is no console');
  const order: ReadingOrder = { link, pages: timed, connections: READERS, seconds };
  let read: PagesRead | null = null;
  bench.say('pages while votes arrive');
  const during = await watched(bench, running, async () => {
    read = await runScript<PagesRead>(bench.installed, 'read-pages', order);
  });
  bench.say('votes alone');
  const alone = await watched(bench, running, async () => {});
  if (read === null) throw new Error('no page was read');
  return { alone, during, read, rssMiB: (await teller.usage()).rssMiB };
}

/** Votes at a steady rate while something else happens. */
async function watched(
  bench: Bench,
  { teller, control, players }: Running,
  meanwhile: () => Promise<void>,
): Promise<Watched> {
  const seconds = bench.sizes.watchSeconds;
  const size = { votes: seconds * VOTES_PER_SECOND, connections: 16, seconds, perSecond: VOTES_PER_SECOND };
  await Promise.all([teller.watchDelay(), control.watchDelay()]);
  const [votes] = await Promise.all([
    sample(bench, { name: 'v2', version: 'v2', server: teller, players }, size),
    meanwhile(),
  ]);
  const [delay, machine] = await Promise.all([teller.delay(), control.delay()]);
  return { votes, delay, machine };
}

function report(bench: Bench, rounds: readonly Round[], timed: readonly TimedPage[]): void {
  const signIn = rounds.map(({ read }) => read.signInMs);
  bench.row('Sign in, which loads the pages', { 'first ms': maximum(signIn) }, { 'first ms': 'page-first' });
  for (const { name } of timed) {
    const times = rounds.flatMap(({ read }) => read.byPage[name] ?? []);
    bench.row(name, pageFigures(times), { 'p99 ms': 'page-p99', 'first ms': 'page-first' });
  }
  for (const [name, of] of [
    ['votes alone', rounds.map(({ alone }) => alone)],
    ['votes while pages are read', rounds.map(({ during }) => during)],
  ] as const)
    reportVotes(bench, name, of);
  const rssMiB = median(rounds.map((round) => round.rssMiB));
  const changes = median(rounds.map(({ read }) => read.changes));
  bench.row('the process after all pages', { MiB: rssMiB, 'live changes': changes });
}

/**
 * The later reads of all starts together. Of one start there are about fifty of each page, so that its 99th percentile would
 * be its slowest read.
 */
function pageFigures(times: readonly PageTimes[]) {
  const later = times.flatMap(({ laterMs }) => laterMs);
  return {
    'first ms': maximum(times.map(({ firstMs }) => firstMs)),
    'median ms': median(later),
    'p99 ms': percentile(later, 0.99),
    'max ms': maximum(later),
    reads: later.length,
    failed: sum(times.map(({ failed }) => failed)),
  };
}

function reportVotes(bench: Bench, name: string, of: readonly Watched[]): void {
  const figures = {
    'median ms': median(of.map(({ votes }) => votes.medianMs)),
    'p99 ms': median(of.map(({ votes }) => votes.p99Ms)),
    'max ms': maximum(of.map(({ votes }) => votes.maxMs)),
    failed: of.reduce((sum, { votes }) => sum + votes.failed, 0),
    'loop p99.9 ms': median(of.map(({ delay, machine }) => Math.max(0, delay.p999Ms - machine.p999Ms))),
    'loop max ms': maximum(of.map(({ delay, machine }) => Math.max(0, delay.maxMs - machine.maxMs))),
  };
  bench.row(name, figures, { 'loop p99.9 ms': 'delay-p999' });
}
