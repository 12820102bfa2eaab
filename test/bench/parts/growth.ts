import { setTimeout as pause } from 'node:timers/promises';
import { playersOf } from '../big-ledger.ts';
import {
  ALL_CONDITIONS,
  type Bench,
  cpuOf,
  interleaved,
  ledgerIn,
  loadFigures,
  sample,
  startTeller,
  type Target,
  TWO_WAITING,
  writeConfig,
} from '../measuring.ts';
import { run } from '../processes.ts';
import { median, pairedRatio, percentile } from '../report.ts';

const CONNECTIONS = 64;
/** By then V8 has given back what only the start needed. A Teller is idle for hours. */
const IDLE_AFTER_MS = 20_000;
const COMMAND_RUNS = 3;
/** The player with the most votes, one with a few, and a name that never voted. */
const COMMANDS = [
  ...['explain P0', 'explain P400', 'explain Nobody_Voted', 'preview P0', 'votes', 'votes --player P0'],
  ...[
    'votes --decision too-old',
    'votes --since 7d',
    'grants',
    'grants --state held',
    'grants --player P0',
    'sites',
  ],
];

/** A start and an idle Teller; then ledgers of several sizes: votes into them, rewards with conditions, and commands that read them. */
export async function growth(bench: Bench): Promise<void> {
  await startAndIdle(bench);
  await intoLedgers(bench);
  await commands(bench);
}

/** Start-up of an installed Teller, its memory when idle, and its memory after many votes. */
async function startAndIdle(bench: Bench): Promise<void> {
  const { rounds, many } = bench.sizes;
  const folder = bench.folder('start');
  const startOne = () => startTeller(bench, folder);
  // The first start creates the keys and is not counted.
  await (await startOne()).stop();
  const [times, cpu]: [number[], number[]] = [[], []];
  for (let run = 0; run < rounds; run++) {
    bench.say(`start ${run + 1} of ${rounds}`);
    const server = await startOne();
    times.push(server.startMs);
    cpu.push((await server.usage()).cpu);
    await server.stop();
  }
  const ready = {
    ...{ 'median ms': median(times), 'fastest ms': percentile(times, 0) },
    ...{ 'slowest ms': percentile(times, 1), 'CPU s': median(cpu) },
  };
  bench.row('start to ready', ready, { 'median ms': 'ready-ms' });
  const server = await startOne();
  bench.say('idle memory');
  await pause(IDLE_AFTER_MS);
  bench.row('idle', { MiB: (await server.usage()).rssMiB }, { MiB: 'idle-mib' });
  bench.say(`memory after ${many} votes`);
  const size = { votes: many, connections: CONNECTIONS, seconds: 90 };
  await sample(bench, { name: 'v2', version: 'v2', server }, size);
  bench.row(`after ${many.toLocaleString('en-US')} votes`, { MiB: (await server.usage()).rssMiB });
  await server.stop();
}

const named = (votes: number): string => `ledger of ${votes.toLocaleString('en-US')} votes`;

/**
 * Votes by players whom the large ledger knows, each of which earns two grants. Into the large ledger also with the same two rewards
 * and eleven more with every condition, so that both sides create about as many grants.
 */
async function intoLedgers(bench: Bench): Promise<void> {
  const { sizes } = bench;
  const [middle, large] = [await bench.filled(sizes.ledgers[0]), await bench.filled(sizes.ledgers[1])];
  const targetIn = async (
    name: string,
    folder: string,
    rewards: object,
    ledger = ledgerIn(folder),
  ): Promise<Target> => ({
    ...{ name, version: 'v2', players: playersOf(large.votes) },
    server: await startTeller(bench, folder, { rewards, ledger }),
  });
  const [empty, conditions] = [named(0), `${named(large.votes)}, every condition`];
  const targets = [
    await targetIn(empty, bench.folder('empty'), TWO_WAITING),
    await targetIn(named(middle.votes), middle.folder, TWO_WAITING),
    // The first process at a ledger delivers, which costs it something, so it is none of those that are compared.
    await targetIn('delivering', large.folder, TWO_WAITING),
    await targetIn(named(large.votes), bench.folder('plain'), TWO_WAITING, ledgerIn(large.folder)),
    await targetIn(conditions, bench.folder('conditions'), ALL_CONDITIONS, ledgerIn(large.folder)),
  ];
  const size = { votes: sizes.votes, connections: CONNECTIONS };
  const compared = targets.filter(({ name }) => name !== 'delivering');
  for (const target of compared) await sample(bench, target, size);
  const samplesOf = await interleaved(bench, compared, size);
  const ratesOf = (name: string) => samplesOf(name).map(({ votes, seconds }) => votes / seconds);
  for (const { name } of compared) {
    const figures = {
      ...loadFigures(samplesOf(name)),
      '× votes/s when empty': pairedRatio(ratesOf(name), ratesOf(empty)),
      ...(name === conditions && {
        '× CPU': pairedRatio(cpuOf(samplesOf(name)), cpuOf(samplesOf(named(large.votes)))),
      }),
    };
    bench.row(name, figures, {
      ...(name === named(large.votes) && { '× votes/s when empty': 'intake-large' }),
      ...(name === conditions && { '× CPU': 'conditions-large' }),
    });
  }
  for (const { server } of targets) await server.stop();
  for (const { votes, bytes, seconds } of [middle, large])
    bench.row(named(votes), { 'bytes/vote': bytes / votes, 'filled in s': seconds });
}

/** What operators ask, each in a process of its own. */
async function commands(bench: Bench): Promise<void> {
  for (const votes of bench.sizes.ledgers) {
    const config = writeConfig((await bench.filled(votes)).folder, { rewards: TWO_WAITING });
    const size = votes.toLocaleString('en-US');
    for (const command of COMMANDS) {
      bench.say(`${size} votes: ${command}`);
      const times: number[] = [];
      for (let time = 0; time < COMMAND_RUNS; time++) {
        const startedAt = performance.now();
        await run(bench.installed.cli, [...command.split(' '), '--config', config]);
        times.push(performance.now() - startedAt);
      }
      bench.row(command, { [`ms, ${size} votes`]: median(times) });
    }
  }
}
