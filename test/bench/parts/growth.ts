import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { playersOf } from '../big-ledger.ts';
import {
  ALL_CONDITIONS,
  type Bench,
  type Filled,
  interleaved,
  ledgerIn,
  loadFigures,
  sample,
  startTeller,
  type Target,
  TWO_WAITING,
  writeConfig,
} from '../measuring.ts';
import { probedThreads, run } from '../processes.ts';
import { readPages } from '../read-pages.ts';
import { type BarId, median, pairedRatio, percentile, sum } from '../report.ts';
import { pagesOf } from './pages.ts';

const CONNECTIONS = 64;
/** By then V8 has given back what only the start needed. A Teller is idle for hours. */
const IDLE_AFTER_MS = 20_000;
const READS = 5;
/** The page with the tops of all time, which are kept for a while. It is opened first. */
const TOPS = 'Figures';
/** Of a page in the WAL. */
const FRAME_HEADER_BYTES = 24;
/** The player with the most votes, one with a few, and a name that never voted. */
const EXPLAINED = ['P0', 'P400', 'Nobody_Voted'];

/** A start and an idle Teller; then ledgers of several sizes: votes into them, rewards with conditions, and commands that read them. */
export async function growth(bench: Bench): Promise<void> {
  await startAndIdle(bench);
  await intoLedgers(bench);
  await reads(bench);
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
  const env = probedThreads(bench.installed);
  const targetIn = async (name: string, folder: string, rewards: object, ledger = ledgerIn(folder)) => ({
    ...{ name, version: 'v2' as const, players: playersOf(large.votes) },
    server: await startTeller(bench, folder, { rewards, ledger }, { env }),
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
  const ledgerOf = (name: string) => samplesOf(name).map(({ ledgerUs }) => ledgerUs);
  const plain = ledgerOf(named(large.votes));
  const more = ledgerOf(conditions).map((us, round) => us - (plain[round] ?? Number.NaN));
  for (const { name } of compared) {
    const figures = {
      ...loadFigures(samplesOf(name)),
      '× votes/s when empty': pairedRatio(ratesOf(name), ratesOf(empty)),
      'ledger µs': median(ledgerOf(name)),
      ...(name === conditions && { 'ledger µs more': median(more) }),
    };
    bench.row(name, figures, {
      ...(name === named(large.votes) && { '× votes/s when empty': 'intake-large' }),
      ...(name === conditions && { 'ledger µs more': 'conditions-large' }),
    });
  }
  for (const { server } of targets) await server.stop();
  await pagesOfWal(bench, large);
  for (const { votes, bytes, seconds } of [middle, large])
    bench.row(named(votes), { 'bytes/vote': bytes / votes, 'filled in s': seconds });
}

/** How much is written for votes that earn nothing. While a reader keeps its snapshot, SQLite only appends to the WAL. */
async function pagesOfWal(bench: Bench, { folder, ...large }: Filled): Promise<void> {
  const ledger = ledgerIn(folder);
  const server = await startTeller(bench, folder, { rewards: [] });
  const reader = new Sqlite(ledger, { readonly: true });
  reader.exec('BEGIN; SELECT count(*) FROM meta');
  const target: Target = { name: 'v2', version: 'v2', server, players: playersOf(large.votes) };
  const size = { votes: bench.sizes.votes, connections: CONNECTIONS };
  await sample(bench, target, size);
  const before = statSync(`${ledger}-wal`).size;
  const { votes } = await sample(bench, target, size);
  const frame = FRAME_HEADER_BYTES + Number(reader.pragma('page_size', { simple: true }));
  const pages = (statSync(`${ledger}-wal`).size - before) / frame / votes;
  reader.close();
  await server.stop();
  const name = `${named(large.votes)}, without rewards`;
  bench.row(name, { 'WAL pages/vote': pages }, { 'WAL pages/vote': 'wal-large' });
}

/**
 * How long SQLite works for each page and for what operators ask in the large ledger, when it is asked again, without votes meanwhile.
 * That is what grows with a ledger; the rest is the same as in a small one.
 */
async function reads(bench: Bench): Promise<void> {
  const { folder, votes } = await bench.filled(bench.sizes.ledgers[1]);
  const file = join(bench.folder('reads'), 'statements');
  const env = { STATEMENTS: file, ...probedThreads(bench.installed) };
  const written = { rewards: ALL_CONDITIONS };
  const config = writeConfig(folder, written);
  const words = (command: string): readonly string[] => [...command.split(' '), '--config', config];
  writeFileSync(file, '');
  let seen = 0;
  /** Of all threads since the last look. */
  const sqliteMs = (): number => {
    const lines = readFileSync(file, 'utf8').slice(seen).split('\n');
    seen += lines.join('\n').length;
    return sum(lines.map((line) => Number.parseFloat(line) || 0));
  };
  const byName = new Map<string, number[]>();
  const keep = (name: string): void => void byName.set(name, [...(byName.get(name) ?? []), sqliteMs()]);
  const idOf = async (state: string): Promise<number> =>
    JSON.parse(
      (await run(bench.installed.cli, words(`grants --state ${state} --limit 1 --json`))).join(''),
    )[0].id;
  const pages = pagesOf(votes, await idOf('held'), await idOf('delivered'));
  const opened = pages.toSorted(([a], [b]) => Number(b === TOPS) - Number(a === TOPS));
  const teller = await startTeller(bench, folder, written, { env });
  for (let time = 0; time < READS; time++) {
    bench.say(`pages in ${named(votes)}, time ${time + 1} of ${READS}`);
    const [link = ''] = await run(bench.installed.cli, words('console open --print'));
    sqliteMs();
    await readPages(link, opened, 1, 0, keep);
  }
  await teller.stop();
  for (const player of EXPLAINED)
    for (let time = 0; time < READS; time++) {
      bench.say(`explain ${player} in ${named(votes)}`);
      await run(bench.installed.cli, words(`explain ${player}`), undefined, env);
      keep(`explain ${player}`);
    }
  for (const [name, times] of byName) {
    const figures = { 'SQLite ms': median(times.slice(1)), 'first SQLite ms': times[0] ?? 0 };
    const first: Readonly<Record<string, BarId>> = name === TOPS ? { 'first SQLite ms': 'tops-large' } : {};
    bench.row(name, figures, { 'SQLite ms': 'read-large', ...first });
  }
}
