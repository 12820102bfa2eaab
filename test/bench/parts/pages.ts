import { setTimeout as pause } from 'node:timers/promises';
import { playersOf } from '../big-ledger.ts';
import { startRconServer } from '../game-server.ts';
import {
  ALL_CONDITIONS,
  type Bench,
  rcon,
  type Sample,
  sample,
  startTeller,
  writeConfig,
} from '../measuring.ts';
import type { Usage } from '../probe.ts';
import { type Measured, run, start } from '../processes.ts';
import { type Pages, type PagesRead, type PageTimes, readPages } from '../read-pages.ts';
import { maximum, median, percentile, sum } from '../report.ts';
import { SERVICES } from '../votes.ts';

/** Each has first requests of its own. */
const STARTS = 3;
const READERS = 2;
const VOTES_PER_SECOND = 50;
const ONLINE = 20;
/** Until what a start does in the background has begun. */
const SETTLE_MS = 1_000;
const DAY_MS = 24 * 3_600_000;

const TOGETHER = {
  party: [{ name: 'crowd', every: 1_000, commands: ['give {player} cake 1'] }],
  tops: [{ name: 'month', period: 'month', prizes: { 1: ['give {player} beacon 1'] } }],
};

/** Every page that an operator can open, in the order in which they are opened first. @param held, paid IDs of grants */
export const pagesOf = (votes: number, held: number, paid: number): Pages => [
  ['Now', '/'],
  ['Votes', '/votes'],
  ['Votes, deep page', `/votes?before=${Math.floor(votes / 2)}`],
  ['Votes of the busiest player', '/votes?player=P0'],
  ['Votes of a site', `/votes?site=${SERVICES[0]}`],
  ['Votes by decision', '/votes?decision=cooldown'],
  ['Votes by rare decision', '/votes?decision=too-old'],
  ['Votes by channel', '/votes?channel=listener-v1'],
  ['Votes of a day', `/votes?day=${new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10)}`],
  ['Votes by player, site and decision', `/votes?player=P0&site=${SERVICES[0]}&decision=cooldown`],
  ['One vote', `/votes/${votes - 10}`],
  ['Players', '/players'],
  ['Players by beginning', '/players?name=p1'],
  ['Players by typo', '/players?name=Pl234'],
  ['Player with most votes', '/players/P0'],
  ['Player with few votes', `/players/P${Math.floor(playersOf(votes) / 2)}`],
  ['Player without votes', '/players/Nobody_Voted'],
  ['Needs you', '/grants'],
  ['Needs you, of a reward', '/grants?reward=daily'],
  ['Needs you, of a player', '/grants?player=P0'],
  ['One grant, held', `/grants/${held}`],
  ['One grant, paid', `/grants/${paid}`],
  ['Figures', '/figures'],
  ['Figures as CSV', '/figures/votes-by-day.csv'],
  ...['/rewards', '/test', '/keys', '/healthz', '/readyz', '/metrics'].map((path) => [path, path] as const),
];

/** What was measured after one start: votes alone, then the same votes while pages are read. */
interface Round {
  readonly alone: Watched;
  readonly during: Watched;
  readonly read: PagesRead;
  readonly rssMiB: number;
}

interface Watched {
  readonly votes: Sample;
  /** The delays of a process that does nothing are the machine's. */
  readonly machine: Usage;
}

/** How long the pages of the console take in a ledger of a million votes while votes arrive, and what they cost the votes. */
export async function pages(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const { folder, votes } = await bench.filled(sizes.ledgers[0]);
  const gameServer = await startRconServer();
  gameServer.show(Array.from({ length: ONLINE }, (_, index) => `P${index}`));
  const machine = await start(installed, [installed.script('scripts'), 'idle']);
  const written = {
    console: { port: 0, metrics: 'open' },
    gameServers: { main: rcon(gameServer.port) },
    rewards: ALL_CONDITIONS,
    ...TOGETHER,
  };
  const config = writeConfig(folder, written);
  const printed = async (...words: readonly string[]): Promise<string> =>
    (await run(installed.cli, [...words, '--config', config])).join('');
  const newest = async (state: string): Promise<number> =>
    JSON.parse(await printed('grants', '--state', state, '--limit', '1', '--json'))[0].id;
  const timed = pagesOf(votes, await newest('held'), await newest('delivered'));
  const rounds: Round[] = [];
  for (let number = 1; number <= STARTS; number++) {
    bench.say(`start ${number} of ${STARTS}`);
    const teller = await startTeller(bench, folder, written);
    await pause(SETTLE_MS);
    const link = (await printed('console', 'open', '--print')).trim();
    bench.say('pages while votes arrive');
    const reading = () => readPages(link, timed, READERS, sizes.watchSeconds);
    const [during, read] = await watched(bench, teller, machine, votes, reading);
    bench.say('votes alone');
    const [alone] = await watched(bench, teller, machine, votes, async () => null);
    rounds.push({ alone, during, read, rssMiB: (await teller.usage()).rssMiB });
    await teller.stop();
  }
  report(bench, rounds, timed);
  await machine.stop();
  gameServer.close();
}

/** Votes at a steady rate while something else happens. */
async function watched<Result>(
  bench: Bench,
  server: Measured,
  control: Measured,
  ledger: number,
  meanwhile: () => Promise<Result>,
): Promise<readonly [Watched, Result]> {
  const seconds = bench.sizes.watchSeconds;
  const size = { votes: seconds * VOTES_PER_SECOND, connections: 16, seconds, perSecond: VOTES_PER_SECOND };
  await control.usage();
  const target = { name: 'v2', version: 'v2', server, players: playersOf(ledger) } as const;
  const [votes, result] = await Promise.all([sample(bench, target, size), meanwhile()]);
  return [{ votes, machine: await control.usage() }, result];
}

function report(bench: Bench, rounds: readonly Round[], timed: Pages): void {
  const signIn = rounds.map(({ read }) => read.signInMs);
  bench.row('Sign in, which loads the pages', { 'first ms': maximum(signIn) }, { 'first ms': 'page-first' });
  for (const [name] of timed) {
    const times = rounds.flatMap(({ read }) => read.byPage.get(name) ?? []);
    bench.row(name, pageFigures(times), { 'p99 ms': 'page-p99', 'first ms': 'page-first' });
  }
  for (const [name, of] of [
    ['votes alone', rounds.map(({ alone }) => alone)],
    ['votes while pages are read', rounds.map(({ during }) => during)],
  ] as const)
    bench.row(name, voteFigures(of), { 'loop p99.9 ms': 'delay-p999' });
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

const voteFigures = (of: readonly Watched[]) => ({
  'median ms': median(of.map(({ votes }) => votes.medianMs)),
  'p99 ms': median(of.map(({ votes }) => votes.p99Ms)),
  'max ms': maximum(of.map(({ votes }) => votes.maxMs)),
  failed: sum(of.map(({ votes }) => votes.failed)),
  'loop p99.9 ms': median(of.map(({ votes, machine }) => Math.max(0, votes.loop.p999Ms - machine.p999Ms))),
  'loop max ms': maximum(of.map(({ votes, machine }) => Math.max(0, votes.loop.maxMs - machine.maxMs))),
});
