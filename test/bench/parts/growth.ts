import type { Bench } from '../bench-run.ts';
import { playersOf } from '../big-ledger.ts';
import { TWO_WAITING, writeHome } from '../config.ts';
import { pairedRatio } from '../figures.ts';
import { start } from '../processes.ts';
import { interleaved, loadFigures, sample, type Target } from '../sampling.ts';

const CONNECTIONS = 64;

/** Votes into ledgers of several sizes, by players whom the large ones know. Each earns two grants. */
export async function growth(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const [, middle, large] = sizes.ledgers;
  const players = playersOf(large);
  const targetIn = async (votes: number, folder: string): Promise<Target> => {
    const { config } = writeHome(folder, { rewards: TWO_WAITING });
    const server = await start(installed, [installed.cli, 'run', '--config', config]);
    return { name: named(votes), version: 'v2', server, players };
  };
  const filled = [await bench.filled(middle), await bench.filled(large)];
  const targets = [
    await targetIn(0, bench.folder('empty')),
    ...(await Promise.all(filled.map(({ votes, folder }) => targetIn(votes, folder)))),
  ];
  for (const target of targets) await sample(bench, target, { votes: sizes.votes, connections: CONNECTIONS });
  const samples = await interleaved(bench, targets, { votes: sizes.votes, connections: CONNECTIONS });
  const ratesOf = (name: string) => (samples.get(name) ?? []).map(({ votes, seconds }) => votes / seconds);
  for (const { name, server } of targets) {
    const ofEmpty = pairedRatio(ratesOf(name), ratesOf(named(0)));
    const bar = name === named(large) ? { '× votes/s when empty': 'intake-large' as const } : {};
    bench.row(name, { ...loadFigures(samples.get(name) ?? []), '× votes/s when empty': ofEmpty }, bar);
    await server.stop();
  }
  for (const { votes, bytes, seconds } of filled)
    bench.row(named(votes), { 'bytes/vote': bytes / votes, 'filled in s': seconds });
}

const named = (votes: number): string => `ledger of ${votes.toLocaleString('en-US')} votes`;
