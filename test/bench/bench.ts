/**
 * What Teller costs: votes, memory, start-up and queries, each beside its bar. See
 * docs/contributing/performance.md. Writes nothing into the repository and uses loopback only.
 *
 *   npm run bench -- [--quick] [--only PART]... [--json FILE] [--keep FOLDER] [--profile FOLDER]
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, FULL, QUICK, Results } from './bench-run.ts';
import { fsyncMs } from './disk.ts';
import { fillingIn } from './filled.ts';
import { backlog } from './parts/backlog.ts';
import { conditions } from './parts/conditions.ts';
import { delivery } from './parts/delivery.ts';
import { growth } from './parts/growth.ts';
import { intake } from './parts/intake.ts';
import { pages } from './parts/pages.ts';
import { queries } from './parts/queries.ts';
import { slowDisk } from './parts/slow-disk.ts';
import { startUp } from './parts/start.ts';
import { install, killAll, workFolder } from './processes.ts';
import { reportJson, reportLines } from './report.ts';

const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'start-up': startUp,
  intake,
  'slow disk': slowDisk,
  backlog,
  delivery,
  growth,
  conditions,
  queries,
  pages,
};

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
    keep: { type: 'string' },
    profile: { type: 'string' },
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

const work = workFolder();
say('compiling');
const installed = await install(work);
const sizes = values.quick ? QUICK : FULL;
const results = new Results();
const filled = fillingIn(resolve(values.keep ?? join(work, 'ledgers')), installed, say);
const started = new Date().toISOString();

for (const [name, measure] of Object.entries(parts)) {
  if (values.only !== undefined && !values.only.includes(name)) continue;
  const bench: Bench = {
    installed,
    sizes,
    profiling:
      values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile)}`],
    filled,
    say: (line) => say(`${name}: ${line}`),
    folder: (own) => {
      const folder = join(work, name.replaceAll(' ', '-'), own);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    ...results.rowsOf(name),
  };
  try {
    await measure(bench);
  } catch (error) {
    // The figures of the other parts are worth having.
    bench.skip(`it failed: ${(error as Error).message}`);
    process.exitCode = 1;
    await killAll();
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
  figures: results.figures,
  skipped: results.skipped,
};
if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
process.stdout.write(`${reportLines(report).join('\n')}\n`);
if (values.json !== undefined) writeFileSync(values.json, reportJson(report));
