/**
 * Kills a real `teller run` repeatedly while votes are sent by all channels, players move, are renamed and come back, and the
 * operator adds sites and pauses a game server; then checks its promises (docs/contributing/crash-test.md).
 *
 *   npm run test:crash -- [--kills 200] [--seed N] [--engine thread|in-process] [--fsync MS]
 *
 * `--engine in-process` runs the ledger on the main thread; `--fsync` makes each fsync take that much longer.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AppOrder } from '../bench/app-with.ts';
import { type Installed, install, say, workFolder } from '../bench/processes.ts';
import { slowSyncIn } from '../bench/slow-sync.ts';
import { crashRun } from './crash-run.ts';

const SHOWN_OF_A_KIND = 10;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string' },
    engine: { type: 'string', default: 'thread' },
    fsync: { type: 'string', default: '0' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const folder = workFolder();
const installed = await install(folder);
const slow = slowed(Number(values.fsync));
const cli = [...slow, process.execPath, installed.cli];
const command = [...slow, process.execPath, ...tellerOn(values.engine, installed)];
const home = join(folder, 'crash');
mkdirSync(home);

const options = `--kills ${values.kills} --engine ${values.engine} --fsync ${values.fsync}`;
say(`npm run test:crash -- ${options} --seed ${seed} repeats this run`);
const startedAt = performance.now();
let reportedAt = 0;
const report = await crashRun({
  ...{ command, cli, folder: home, kills: Number(values.kills), seed },
  onProgress: (kills, votes) => {
    if (kills % 20 === 0 && kills > reportedAt) say(`${kills} kills, ${votes} votes`);
    reportedAt = kills;
  },
});
const { broken, ...figures } = report;
for (const [name, value] of Object.entries(figures)) say(`${name}: ${described(value)}`);
say(`${Math.round((performance.now() - startedAt) / 1000)} s`);
for (const promise of someOfEachKind(broken)) say(`BROKEN: ${promise}`);
say(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
if (broken.length > 0) {
  const evidence = join(tmpdir(), `teller-crash-${seed}`);
  cpSync(home, evidence, { recursive: true, filter: (from) => !from.endsWith('.sock') });
  say(`config and ledger are kept in ${evidence}`);
}
process.exit(broken.length === 0 ? 0 : 1);

/** The script with its first arguments. */
function tellerOn(engine: string, { cli, script }: Installed): readonly string[] {
  if (engine === 'thread') return [cli];
  if (engine !== 'in-process') throw new Error(`there is no engine ${engine}; use thread or in-process`);
  const order: AppOrder = { config: 'config.json', ledger: 'in-process' };
  return [script('app-with'), JSON.stringify(order)];
}

/** A prefix that makes every fsync of a command take longer. */
function slowed(ms: number): readonly string[] {
  if (ms === 0) return [];
  const slow = slowSyncIn(folder);
  if (typeof slow === 'string') throw new Error(`--fsync is not possible: ${slow}`);
  slow.set(ms);
  return ['env', ...Object.entries(slow.env).map(([name, value]) => `${name}=${value}`)];
}

/** A kind with many must not hide the others. */
function someOfEachKind(promises: readonly string[]): readonly string[] {
  const kindOf = (promise: string): string => promise.replace(/:.*/s, '');
  return [...new Set(promises.map(kindOf))].flatMap((kind) => {
    const own = promises.filter((promise) => kindOf(promise) === kind);
    const others = own.length - SHOWN_OF_A_KIND;
    return [...own.slice(0, SHOWN_OF_A_KIND), ...(others > 0 ? [`${kind}: and ${others} more`] : [])];
  });
}

function described(value: number | object): string {
  if (typeof value === 'number') return String(value);
  return Object.entries(value)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
