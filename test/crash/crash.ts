/**
 * Kills a real `teller run` repeatedly while votes are sent by all channels, and checks its promises: every answered vote
 * is recorded once, every window is used once, every rewarded vote has its grants, no command ran twice, and every
 * command that might have run is unknown.
 *
 *   npm run test:crash -- [--kills 200] [--seed N]
 */
import { cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, workFolder } from '../bench/servers.ts';
import { say } from '../bench/table.ts';
import { crashRun } from './crash-run.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const folder = workFolder();
const command = [process.execPath, install(folder)];
const home = join(folder, 'crash');
mkdirSync(home);

say(`seed ${seed}: npm run test:crash -- --kills ${values.kills} --seed ${seed} repeats this run`);
const startedAt = performance.now();
let reportedAt = 0;
const report = await crashRun({
  ...{ command, folder: home, kills: Number(values.kills), seed },
  onProgress: (kills, votes) => {
    if (kills % 20 === 0 && kills > reportedAt) say(`${kills} kills, ${votes} votes`);
    reportedAt = kills;
  },
});
const { broken, ...figures } = report;
for (const [name, value] of Object.entries(figures)) say(`${name}: ${described(value)}`);
say(`${Math.round((performance.now() - startedAt) / 1000)} s`);
for (const promise of broken.slice(0, 50)) say(`BROKEN: ${promise}`);
say(broken.length === 0 ? 'every promise was kept' : `${broken.length} promises were broken`);
if (broken.length > 0) {
  const evidence = join(tmpdir(), `teller-crash-${seed}`);
  cpSync(home, evidence, { recursive: true });
  say(`config and ledger are kept in ${evidence}`);
}
process.exit(broken.length === 0 ? 0 : 1);

function described(value: number | object): string {
  if (typeof value === 'number') return String(value);
  return Object.entries(value)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
