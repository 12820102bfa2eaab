/**
 * What Teller costs: votes, memory, start-up and queries, each beside its bar. See
 * docs/contributing/performance.md. Writes nothing into the repository and uses loopback only.
 *
 *   npm run bench -- [--quick] [--only PART]... [--json FILE] [--keep FOLDER] [--profile FOLDER]
 *   npm run bench -- --only beside --address HOST:PORT --token TOKEN --pid N [--service NAME]
 */
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endAll, ownFolder } from '../measure/programs.ts';
import { type Bench, fillingIn, type OtherListener, SIZES } from './measuring.ts';
import { beside } from './parts/beside.ts';
import { delivery, waiting } from './parts/delivery.ts';
import { growth } from './parts/growth.ts';
import { intake } from './parts/intake.ts';
import { pages } from './parts/pages.ts';
import { statements } from './parts/statements.ts';
import { install } from './processes.ts';
import {
  barResults,
  type Figure,
  isBroken,
  median,
  reportJson,
  reportLines,
  type Skipped,
} from './report.ts';

const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  ...{ statements, intake, beside, delivery, waiting, growth, pages },
};

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
    keep: { type: 'string' },
    profile: { type: 'string' },
    address: { type: 'string' },
    token: { type: 'string' },
    pid: { type: 'string' },
    service: { type: 'string' },
  },
});
const unknown = (values.only ?? []).find((name) => !(name in parts));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}". Parts: ${Object.keys(parts).join(', ')}\n`);
  process.exit(2);
}

const startedAt = performance.now();
const elapsed = (): string => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
/** Progress goes to standard error; on a terminal, in one line. */
const say = (line: string): void => {
  const text = `${elapsed()}  ${line}`;
  process.stderr.write(
    process.stderr.isTTY ? `\r\u001b[K${text.slice(0, process.stderr.columns - 1)}` : `${text}\n`,
  );
};

const work = ownFolder();
say('compiling');
const installed = await install(work);
const sizes = SIZES[values.quick ? 'quick' : 'full'];
const figures: Figure[] = [];
const skipped: Skipped[] = [];
const filled = fillingIn(resolve(values.keep ?? join(work, 'ledgers')), work, installed, say);
const started = new Date().toISOString();

for (const [name, measure] of Object.entries(parts)) {
  if (values.only !== undefined && !values.only.includes(name)) continue;
  const bench: Bench = {
    installed,
    sizes,
    profiling:
      values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    other: otherListener(),
    filled,
    say: (line) => say(`${name}: ${line}`),
    folder: (own) => {
      const folder = join(work, name.replaceAll(' ', '-'), own);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    row: (row, measured, barOf = {}) => {
      for (const [figure, value] of Object.entries(measured)) {
        const bar = barOf[figure];
        figures.push({ part: name, row, figure, value, ...(bar !== undefined && { bar }) });
      }
    },
    skip: (why) => skipped.push({ part: name, why }),
  };
  try {
    await measure(bench);
  } catch (error) {
    // The figures of the other parts are worth having.
    bench.skip(`it failed: ${(error as Error).message}`);
    process.exitCode = 1;
    await endAll();
  }
}

const report = {
  header: {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? ''}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    fsync: `median ${fsyncMs(work).toFixed(2)} ms`,
    node: process.version,
    teller: JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version,
    started,
    took: elapsed(),
    sizes: values.quick ? 'quick: too small to judge by' : 'full',
  },
  figures,
  skipped,
};
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
process.stdout.write(`${reportLines(report).join('\n')}\n`);
if (barResults(figures).some(isBroken)) process.exitCode = 1;
if (values.json !== undefined) writeFileSync(values.json, reportJson(report));

function otherListener(): OtherListener | null {
  const { address, token, pid, service } = values;
  if (address === undefined || token === undefined || pid === undefined) return null;
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port), token, pid: Number(pid), service };
}

/** How long an fsync takes on the disk of this folder, in milliseconds. */
function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w');
  const page = Buffer.alloc(4_096);
  const times = Array.from({ length: 100 }, (_, index) => {
    writeSync(file, page, 0, page.length, index * page.length);
    const startedAt = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}
