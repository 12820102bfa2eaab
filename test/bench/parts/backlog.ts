import type { Bench } from '../bench-run.ts';
import { rcon, UNREACHABLE, writeHome } from '../config.ts';
import { median } from '../figures.ts';
import { start } from '../processes.ts';
import { loadFigures, type Sample, sample } from '../sampling.ts';
import { type SlowSync, slowSyncIn } from '../slow-sync.ts';

const FSYNC_MS = 20;
const SERVERS = ['survival', 'skyblock', 'creative'];
const REWARD = { name: 'daily', when: 'online', servers: 'all', commands: ['give {player} diamond 1'] };
const LOAD = { votes: 1_000, connections: 20, seconds: 15 };
const ROUNDS_MAX = 3;

/**
 * Votes while many grants of absent players come due on each of three game servers, on a slow disk; and the same votes
 * without such grants.
 */
export async function backlog(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const slow = slowSyncIn(bench.folder('slow-sync'));
  if (typeof slow === 'string') return bench.skip(slow);
  const gameServer = await start(installed, [installed.script('game-server'), String(SERVERS.length)]);
  const ports = gameServer.ready.ports ?? [];
  const [without, withGrants]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < Math.min(ROUNDS_MAX, sizes.rounds); round++) {
    bench.say(`round ${round + 1}, without grants`);
    without.push(await votesWith(bench, `without-${round}`, 0, ports, slow));
    bench.say(`round ${round + 1}, with ${sizes.backlog} grants on each of ${SERVERS.length} game servers`);
    withGrants.push(await votesWith(bench, `with-${round}`, sizes.backlog, ports, slow));
  }
  const added = withGrants.map((sample, round) => (sample.p99Ms - (without[round]?.p99Ms ?? 0)) / FSYNC_MS);
  bench.row(`fsync ${FSYNC_MS} ms, without grants`, loadFigures(without));
  bench.row(
    `with ${sizes.backlog} grants on each of ${SERVERS.length} game servers`,
    { ...loadFigures(withGrants), 'fsyncs added to p99': median(added) },
    { failed: 'backlog-failed', 'fsyncs added to p99': 'backlog-p99' },
  );
  await gameServer.stop();
}

async function votesWith(
  bench: Bench,
  name: string,
  grants: number,
  ports: readonly number[],
  slow: SlowSync,
): Promise<Sample> {
  const { installed } = bench;
  const folder = bench.folder(name);
  const serversAt = (entry: (index: number) => object) =>
    Object.fromEntries(SERVERS.map((server, index) => [server, entry(index)]));
  const { config } = writeHome(folder, { gameServers: serversAt(() => UNREACHABLE), rewards: [REWARD] });
  const run = [installed.cli, 'run', '--config', config] as const;
  slow.set(0);
  const before = await start(installed, run);
  // Warms nothing up: this process only leaves the grants behind, one for each vote and game server.
  const owed = { votes: grants, connections: 64 };
  if (grants > 0) await sample(bench, { name, version: 'v2', server: before }, owed);
  await before.stop();

  writeHome(folder, { gameServers: serversAt((index) => rcon(ports[index] ?? 0)), rewards: [REWARD] });
  const teller = await start(installed, run, { env: slow.env });
  slow.set(FSYNC_MS);
  const measured = await sample(bench, { name, version: 'v2', server: teller }, LOAD);
  slow.set(0);
  await teller.stop();
  return measured;
}
