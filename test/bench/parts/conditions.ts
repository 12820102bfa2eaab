import { ALL_CONDITIONS } from '../all-conditions.ts';
import type { BarId } from '../bars.ts';
import type { Bench } from '../bench-run.ts';
import { playersOf } from '../big-ledger.ts';
import { homeOf, TWO_WAITING, writeHome } from '../config.ts';
import { pairedRatio } from '../figures.ts';
import { type Measured, start } from '../processes.ts';
import { interleaved, loadFigures, sample, type Target } from '../sampling.ts';

const CONNECTIONS = 64;

/**
 * What conditions on earlier votes cost: a Teller with two rewards that every rewarded vote earns, and one with the same
 * two and eleven more with every condition. So both sides create about as many grants. Votes are by players of the large
 * ledger, into an empty ledger and into that one.
 */
export async function conditions(bench: Bench): Promise<void> {
  const large = bench.sizes.ledgers[2];
  const players = playersOf(large);
  await compare(
    bench,
    'empty ledger',
    players,
    'conditions',
    (name) => homeOf(bench.folder(`empty-${name}`)).ledger,
  );
  const filled = homeOf((await bench.filled(large)).folder);
  // One process delivers, and that costs it something. So this is neither of those that are compared.
  const delivering = await teller(bench, 'delivering', filled.ledger, TWO_WAITING);
  await compare(
    bench,
    `ledger of ${large.toLocaleString('en-US')} votes`,
    players,
    'conditions-large',
    () => filled.ledger,
  );
  await delivering.stop();
}

const teller = (bench: Bench, name: string, ledger: string, rewards: object): Promise<Measured> => {
  const { config } = writeHome(bench.folder(name), { rewards, ledger });
  return start(bench.installed, [bench.installed.cli, 'run', '--config', config]);
};

async function compare(
  bench: Bench,
  where: string,
  players: number,
  bar: BarId,
  ledgerOf: (name: string) => string,
): Promise<void> {
  const target = async (name: string, rewards: object): Promise<Target> => ({
    name,
    version: 'v2',
    server: await teller(bench, `${where} ${name}`, ledgerOf(name), rewards),
    players,
  });
  const targets = [await target('plain', TWO_WAITING), await target('conditions', ALL_CONDITIONS)];
  const size = { votes: bench.sizes.votes, connections: CONNECTIONS };
  for (const each of targets) await sample(bench, each, size);
  const samples = await interleaved(bench, targets, size);
  const [plain = [], all = []] = targets.map(({ name }) => samples.get(name));
  const cpuOf = (of: typeof plain) => of.map(({ cpuPer1000 }) => cpuPer1000);
  bench.row(`${where}, two plain rewards`, loadFigures(plain));
  bench.row(
    `${where}, every condition`,
    { ...loadFigures(all), '× CPU': pairedRatio(cpuOf(all), cpuOf(plain)) },
    { '× CPU': bar },
  );
  for (const { server } of targets) await server.stop();
}
