import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  type Bench,
  cpuOf,
  interleaved,
  loadFigures,
  type OtherListener,
  sample,
  startTeller,
  type Target,
} from '../measuring.ts';
import { pairedRatio } from '../report.ts';

const CONNECTIONS = 64;

/** What a v2 vote costs beside another listener that runs already: the same votes, in turns. */
export async function beside(bench: Bench): Promise<void> {
  const { other, sizes } = bench;
  if (other === null) return bench.skip('no other listener was named with --address, --token and --pid');
  const { token, service } = other;
  const ours = await startTeller(bench, bench.folder('ours'));
  const targets: readonly Target[] = [
    { name: 'the other listener', version: 'v2', token, service, server: measured(other) },
    { name: 'Teller', version: 'v2', service, server: ours },
  ];
  for (const target of targets) {
    bench.say(`${target.name} warms up`);
    const { votes, failed } = await sample(bench, target, { votes: sizes.warming, connections: CONNECTIONS });
    if (failed > 0) throw new Error(`${target.name} refused ${failed} of ${votes} votes`);
  }
  const samplesOf = await interleaved(bench, targets, { votes: sizes.votes, connections: CONNECTIONS });
  for (const { name } of targets) {
    const times = pairedRatio(cpuOf(samplesOf(name)), cpuOf(samplesOf('the other listener')));
    const figures = { ...loadFigures(samplesOf(name)), '× CPU of the other': times };
    bench.row(name, figures, name === 'Teller' ? { '× CPU of the other': 'cpu-beside' } : {});
  }
  await ours.stop();
}

const measured = ({ host, port, pid }: OtherListener): Target['server'] => ({
  ready: { listener: { host, port } },
  usage: async () => ({ cpu: cpuSeconds(pid), ledgerCpu: 0, rssMiB: 0, p999Ms: 0, maxMs: 0 }),
});

/** User and system time of all threads of a process, to a hundredth of a second. */
function cpuSeconds(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (process.platform === 'linux') {
    // After the name, which is in brackets and may have spaces, from the third field on.
    const fields = readFileSync(stat, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }
  const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
