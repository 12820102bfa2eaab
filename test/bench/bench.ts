/**
 * What a listener costs: votes a second and CPU seconds for 1,000 votes, with every vote on disk before it is answered,
 * compared with a bare Node server that does only the handshake; also start-up, memory, and the same with a large ledger.
 * Writes nothing into the repository.
 *
 *   npm run bench -- [--votes 20000] [--connections 64] [--ledger 200000] [--runs 7] [--profile FOLDER]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CLONE,
  configIn,
  killAtExit,
  install,
  playersOf,
  type Server,
  startBare,
  startTeller,
  TSX,
  workFolder,
} from './servers.ts';
import { mean, median, printTable, say } from './table.ts';

const { values } = parseArgs({
  options: {
    votes: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '64' },
    ledger: { type: 'string', default: '200000' },
    runs: { type: 'string', default: '7' },
    profile: { type: 'string' },
  },
});
const votes = Number(values.votes);
const WARM_UP = Math.min(3_000, votes);

interface Load {
  readonly seconds: number;
  readonly failed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly cpu: number;
}

interface Row extends Load {
  readonly name: string;
  readonly perSecond: number;
  readonly cpuPer1000: number;
  readonly rssMiB: number;
  readonly senderCpuShare: number;
}

async function runScript<Result>(name: string, args: readonly (string | number)[]): Promise<Result> {
  const script = join(import.meta.dirname, name);
  const child = spawn(process.execPath, ['--import', TSX, script, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAtExit(child);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  await once(child, 'close');
  return JSON.parse(out);
}

/** The folder of the key that encrypts v1 blocks, and how many players are already in the ledger. */
interface Voters {
  readonly keys?: string;
  readonly known?: number;
}

/** Warms the server up, then measures; the server is stopped at the end. */
async function measure(
  name: string,
  server: Server,
  version: 'v1' | 'v2',
  { keys = '', known = 0 }: Voters = {},
): Promise<Row> {
  const send = (count: number, first: number): Promise<Load> =>
    runScript('load.ts', [
      server.port,
      version,
      count,
      values.connections,
      first,
      keys && join(keys, 'public.key'),
      known,
    ]);
  await send(WARM_UP, 10_000_000);
  const before = await server.usage();
  const load = await send(votes, 20_000_000);
  const after = await server.usage();
  await server.stop();
  return {
    ...load,
    name,
    perSecond: votes / load.seconds,
    cpuPer1000: ((after.cpu - before.cpu) / votes) * 1_000,
    rssMiB: after.rssMiB,
    senderCpuShare: load.cpu / load.seconds,
  };
}

function printRows(rows: readonly Row[]): void {
  const bare = rows[0] as Row;
  printTable([
    ['', 'votes/s', 'CPU s/1,000', 'x bare CPU', 'median ms', 'p99 ms', 'MiB after', 'sender CPU', 'failed'],
    ...rows.map((row) => [
      row.name,
      row.perSecond.toFixed(0),
      row.cpuPer1000.toFixed(3),
      (row.cpuPer1000 / bare.cpuPer1000).toFixed(2),
      row.medianMs.toFixed(1),
      row.p99Ms.toFixed(1),
      row.rssMiB.toFixed(0),
      `${(row.senderCpuShare * 100).toFixed(0)} %`,
      String(row.failed),
    ]),
  ]);
}

/** Start-up and idle memory over several runs; the first start creates the keys and is not counted. */
async function measureStart(name: string, cli: string, folder: string): Promise<string[]> {
  const { config } = configIn(folder, `start-${name}`);
  await (await startTeller(cli, config)).stop();
  const [times, sizes]: [number[], number[]] = [[], []];
  for (let run = 0; run < Number(values.runs); run++) {
    const server = await startTeller(cli, config);
    times.push(server.startMs);
    sizes.push((await server.usage()).rssMiB);
    await server.stop();
  }
  return [
    name,
    median(times).toFixed(0),
    `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)}`,
    mean(sizes).toFixed(0),
  ];
}

const folder = workFolder();
const cli = install(folder);
const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];

interface Setup {
  readonly overrides?: object;
  readonly home?: string;
  readonly known?: number;
}

async function teller(
  name: string,
  version: 'v1' | 'v2',
  { overrides = {}, home = name, known = 0 }: Setup = {},
): Promise<Row> {
  const { config } = configIn(folder, home, overrides);
  const server = await startTeller(cli, config, profile);
  return measure(name, server, version, { keys: join(folder, home, 'data/keys'), known });
}

say(
  `${votes} votes a row, ${values.connections} connections at once, Node ${process.version}, after ${WARM_UP} votes to warm up\n`,
);
/** A grant that stays pending: no game server listens at this port. */
const ONE_GRANT = {
  gameServers: { main: { kind: 'rcon', host: '127.0.0.1', port: 1, password: 'no-server-there' } },
  rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }],
};

const rows = [
  await measure('bare handshake', await startBare(), 'v2'),
  await teller('v2, stored', 'v2'),
  await teller('v2, stored, log at warn', 'v2', { overrides: { log: { level: 'warn' } } }),
  await teller('v2, stored with a grant', 'v2', { overrides: ONE_GRANT }),
  await teller('v1, stored', 'v1'),
];

const { ledger } = configIn(folder, 'large');
const filled = await runScript<{ seconds: number; bytes: number }>('fill.ts', [ledger, values.ledger]);
const known = playersOf(Number(values.ledger));
rows.push(await teller(`v2, at ${values.ledger} votes`, 'v2', { home: 'large', known }));
printRows(rows);
say(
  `\nledger of ${values.ledger} votes: filled in ${filled.seconds.toFixed(1)} s, ${(filled.bytes / 2 ** 20).toFixed(0)} MiB`,
);

const starts = [
  await measureStart('clone (tsx)', CLONE, folder),
  await measureStart('installed', cli, folder),
];
say('');
printTable([[`start-up, ${values.runs} runs`, 'median ms', 'from to', 'idle MiB'], ...starts]);
