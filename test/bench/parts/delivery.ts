import { cpSync } from 'node:fs';
import { type RconServer, startRconServer, timeCommands } from '../game-server.ts';
import {
  type Bench,
  cpuOf,
  interleaved,
  loadFigures,
  rcon,
  type Sample,
  sample,
  startTeller,
  TWO_REWARDS,
  UNREACHABLE,
  writeConfig,
} from '../measuring.ts';
import { run, type SlowSync, slowSyncIn } from '../processes.ts';
import { maximum, median, pairedRatio, percentile } from '../report.ts';

const VOTES_TIMED = 200;
const PLAYERS = 50;
const [THANKS, DAILY] = TWO_REWARDS;

/** From a vote to its command, and votes while many grants come due. */
export async function delivery(bench: Bench): Promise<void> {
  const servers = await Promise.all(SERVERS.map(startRconServer));
  const [server] = servers as [RconServer];
  await timeVotes(bench, server, 'a reward that is always paid', THANKS, [], 'vote-to-command');
  const players = Array.from({ length: PLAYERS }, (_, index) => `Online${index}`);
  server.show(players);
  await timeVotes(bench, server, 'a reward for players who are online', DAILY, players);
  server.show([]);
  const ports = servers.map(({ port }) => port);
  await beforeBacklog(bench, ports);
  for (const each of servers) each.close();
}

async function timeVotes(
  bench: Bench,
  gameServer: RconServer,
  name: string,
  reward: object | undefined,
  players: readonly string[],
  bar?: 'vote-to-command',
): Promise<void> {
  bench.say(`from the vote to its command: ${name}`);
  const gameServers = { main: rcon(gameServer.port, { joinDelay: '0s' }) };
  const folder = bench.folder(name.replaceAll(' ', '-'));
  const teller = await startTeller(bench, folder, { gameServers, rewards: [reward] });
  const { port } = teller.ready.listener;
  // The first votes also connect to the game server and compile the code.
  await timeCommands(gameServer, port, players, 0, PLAYERS);
  const times = await timeCommands(gameServer, port, players, PLAYERS, 2 * PLAYERS + VOTES_TIMED);
  const known = times.filter((time) => time !== null);
  const figures = {
    ...{ 'median ms': percentile(known, 0.5), 'p99 ms': percentile(known, 0.99) },
    ...{ 'slowest ms': maximum(known), missing: times.length - known.length },
  };
  bench.row(`vote to command: ${name}`, figures, bar === undefined ? {} : { 'median ms': bar });
  await teller.stop();
}

const CONNECTIONS = 64;

/**
 * Votes whose grants wait for players who are not there, on a game server for which many grants wait already; and the same votes into a
 * copy of its ledger in which these are cancelled.
 */
export async function waiting(bench: Bench): Promise<void> {
  const { many, votes } = bench.sizes;
  const gameServer = await startRconServer();
  const config = { gameServers: { main: rcon(gameServer.port) }, rewards: [DAILY] };
  const [before, folder, copy] = [bench.folder('before'), bench.folder('waiting'), bench.folder('cancelled')];
  const grants = `${many.toLocaleString('en-US')} grants`;
  bench.say(`${grants} begin to wait`);
  await owe(bench, before, config, many);
  for (const to of [folder, copy]) cpSync(before, to, { recursive: true });
  const cancel = ['grants', 'cancel', '--server', 'main', '--yes', '--config', writeConfig(copy, config)];
  await run(bench.installed.cli, cancel);
  const targetIn = async (name: string, place: string) => ({
    ...{ name, version: 'v2' as const, server: await startTeller(bench, place, config) },
  });
  const base = await targetIn(`${grants} cancelled`, copy);
  const full = await targetIn(`${grants} waiting`, folder);
  const size = { votes, connections: CONNECTIONS };
  for (const target of [base, full]) await sample(bench, target, size);
  const samplesOf = await interleaved(bench, [base, full], size);
  for (const { name, server } of [base, full]) {
    const ratio = pairedRatio(cpuOf(samplesOf(name)), cpuOf(samplesOf(base.name)));
    const figures = { ...loadFigures(samplesOf(name)), '× CPU with none': ratio };
    bench.row(name, figures, name === full.name ? { '× CPU with none': 'waiting-cpu' } : {});
    await server.stop();
  }
  gameServer.close();
}

/** Lets votes be owed to game servers that cannot be reached, or to players who are not there. */
async function owe(bench: Bench, folder: string, config: object, votes: number): Promise<void> {
  const server = await startTeller(bench, folder, config);
  const size = { votes, connections: CONNECTIONS, seconds: 900 };
  if (votes > 0) await sample(bench, { name: 'v2', version: 'v2', server }, size);
  await server.stop();
}

const FSYNC_MS = 20;
const SERVERS = ['survival', 'skyblock', 'creative'];
const REWARD = { name: 'daily', when: 'online', servers: 'all', commands: ['give {player} diamond 1'] };
const LOAD = { votes: 1_000, connections: 20, seconds: 15 };
const ROUNDS_MAX = 3;

/**
 * Votes while many grants of absent players come due on each of three game servers, on a slow disk; and the same votes
 * without such grants.
 */
async function beforeBacklog(bench: Bench, ports: readonly number[]): Promise<void> {
  const { backlog, rounds } = bench.sizes;
  const slow = slowSyncIn(bench.folder('slow-sync'));
  if (typeof slow === 'string') return bench.skip(slow);
  const [without, withGrants]: [Sample[], Sample[]] = [[], []];
  const on = `with ${backlog} grants on each of ${SERVERS.length} game servers`;
  for (let round = 0; round < Math.min(ROUNDS_MAX, rounds); round++) {
    bench.say(`round ${round + 1}, without grants`);
    without.push(await votesWith(bench, `without-${round}`, 0, ports, slow));
    bench.say(`round ${round + 1}, ${on}`);
    withGrants.push(await votesWith(bench, `with-${round}`, backlog, ports, slow));
  }
  const added = withGrants.map(({ p99Ms }, round) => (p99Ms - (without[round]?.p99Ms ?? 0)) / FSYNC_MS);
  bench.row(`fsync ${FSYNC_MS} ms, without grants`, loadFigures(without));
  bench.row(
    `fsync ${FSYNC_MS} ms, ${on}`,
    { ...loadFigures(withGrants), 'fsyncs added to p99': median(added) },
    { failed: 'backlog-failed', 'fsyncs added to p99': 'backlog-p99' },
  );
}

async function votesWith(
  bench: Bench,
  name: string,
  grants: number,
  ports: readonly number[],
  slow: SlowSync,
): Promise<Sample> {
  const folder = bench.folder(name);
  const configWith = (entry: (index: number) => object) => ({
    gameServers: Object.fromEntries(SERVERS.map((server, index) => [server, entry(index)])),
    rewards: [REWARD],
  });
  const unreachable = configWith(() => UNREACHABLE);
  await owe(bench, folder, unreachable, grants);
  const config = configWith((index) => rcon(ports[index] ?? 0));
  const server = await startTeller(bench, folder, config, { env: slow(FSYNC_MS) });
  const measured = await sample(bench, { name, version: 'v2', server }, LOAD);
  await server.stop();
  return measured;
}
