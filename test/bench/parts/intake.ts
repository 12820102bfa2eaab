import type { AppOrder } from '../app-with.ts';
import type { Bench } from '../bench-run.ts';
import { writeHome } from '../config.ts';
import { median, pairedRatio } from '../figures.ts';
import { runScript, start } from '../processes.ts';
import type { RsaCost } from '../rsa.ts';
import { interleaved, loadFigures, type Sample, sample, type Target } from '../sampling.ts';

const CONNECTIONS = [1, 64, 1_000];
/** The bars are for this many. */
const USUAL = 64;
const COLD_VOTES = 2_000;
const RSA_OPERATIONS = 2_000;

/**
 * What a vote costs: v1 and v2, stored; the same without commits and with the ledger on the main thread; and a server
 * that only does the handshake.
 */
export async function intake(bench: Bench): Promise<void> {
  const targets = await startTargets(bench);
  for (const target of targets) await sample(bench, target, { votes: bench.sizes.votes, connections: USUAL });
  for (const connections of CONNECTIONS) {
    // A single connection sends one vote after the other, so fewer are enough.
    const votes = connections === 1 ? Math.ceil(bench.sizes.votes / 3) : bench.sizes.votes;
    const samples = await interleaved(bench, targets, { votes, connections });
    for (const { name } of targets) addRow(bench, name, connections, samples);
    if (connections === USUAL) await addV1Row(bench, samples);
  }
  await addColdRow(bench, targets);
  for (const { server } of targets) await server.stop();
}

async function startTargets(bench: Bench): Promise<Target[]> {
  const { installed } = bench;
  const appWith = (ledger: AppOrder['ledger']) => {
    const { config } = writeHome(bench.folder(ledger));
    return start(installed, [installed.script('app-with'), JSON.stringify({ config, ledger })]);
  };
  const { config, keys } = writeHome(bench.folder('stored'));
  const stored = await start(installed, [installed.cli, 'run', '--config', config], {
    flags: bench.profiling,
  });
  return [
    { name: 'bare', version: 'v2', server: await start(installed, [installed.script('bare-server')]) },
    { name: 'v2 without commits', version: 'v2', server: await appWith('no-commit') },
    { name: 'v2 in-process ledger', version: 'v2', server: await appWith('in-process') },
    { name: 'v2', version: 'v2', server: stored },
    { name: 'v1', version: 'v1', server: stored, keys },
  ];
}

type Samples = ReadonlyMap<string, readonly Sample[]>;

const cpuOf = (samples: Samples, name: string): number[] =>
  (samples.get(name) ?? []).map(({ cpuPer1000 }) => cpuPer1000);
const p99Of = (samples: Samples, name: string): number[] =>
  (samples.get(name) ?? []).map(({ p99Ms }) => p99Ms);

function addRow(bench: Bench, name: string, connections: number, samples: Samples): void {
  const cpu = cpuOf(samples, name);
  const isJudged = name === 'v2' && connections === USUAL;
  const figures = {
    ...loadFigures(samples.get(name) ?? []),
    '× bare CPU': pairedRatio(cpu, cpuOf(samples, 'bare')),
    '× CPU without commits': pairedRatio(cpu, cpuOf(samples, 'v2 without commits')),
    '× p99 in-process': pairedRatio(p99Of(samples, name), p99Of(samples, 'v2 in-process ledger')),
  };
  bench.row(
    `${name}, ${connections} connections`,
    figures,
    isJudged
      ? {
          '× bare CPU': 'cpu-bare',
          '× CPU without commits': 'cpu-no-commit',
          '× p99 in-process': 'p99-in-process',
        }
      : {},
  );
}

/** A v1 vote can cost little less than one RSA operation and what a v2 vote costs. */
async function addV1Row(bench: Bench, samples: Samples): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const { cpuPer1000 } = await runScript<RsaCost>(bench.installed, 'rsa', { operations: RSA_OPERATIONS });
    costs.push(cpuPer1000);
  }
  const least = cpuOf(samples, 'v2').map((cpu, round) => cpu + (costs[round] ?? 0));
  const times = pairedRatio(cpuOf(samples, 'v1'), least);
  bench.row('one raw RSA operation', { 'CPU s/1,000': median(costs) });
  bench.row('v1, of an RSA operation and a v2 vote', { '× CPU': times }, { '× CPU': 'v1-cpu' });
}

/** The first votes of a new process, each beside the same number of votes of a process that is warm. */
async function addColdRow(bench: Bench, targets: readonly Target[]): Promise<void> {
  const { installed, sizes } = bench;
  const warm = targets.find(({ name }) => name === 'v2');
  if (warm === undefined) return;
  const size = { votes: Math.min(COLD_VOTES, sizes.votes), connections: USUAL };
  const { config } = writeHome(bench.folder('cold'));
  const pairs: { cold: Sample; warm: Sample }[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    bench.say(`the first ${size.votes} votes after a start, round ${round + 1} of ${sizes.rounds}`);
    const server = await start(installed, [installed.cli, 'run', '--config', config]);
    const cold = await sample(bench, { name: 'v2 cold', version: 'v2', server }, size);
    await server.stop();
    pairs.push({ cold, warm: await sample(bench, warm, size) });
  }
  const cold = pairs.map((pair) => pair.cold);
  const times = pairedRatio(
    cold.map(({ cpuPer1000 }) => cpuPer1000),
    pairs.map((pair) => pair.warm.cpuPer1000),
  );
  const name = `v2, the first ${size.votes} after a start, ${USUAL} connections`;
  bench.row(name, { ...loadFigures(cold), '× warm CPU': times }, { '× warm CPU': 'cold-cpu' });
}
