import { join } from 'node:path';
import type { Bench } from '../bench-run.ts';
import { rcon, TWO_REWARDS, writeHome } from '../config.ts';
import { median, percentile } from '../figures.ts';
import { runCommand, start } from '../processes.ts';

const RUNS = 5;

/** Every command that ends by itself and needs no other service, in a small ledger beside a running Teller. */
const commandsIn = (config: string, backups: (run: number) => string) =>
  [
    ['--version', () => ['--version']],
    ['--help', () => ['--help']],
    ['check', () => ['check', '--config', config]],
    ['check --offline', () => ['check', '--offline', '--config', config]],
    ['check --deep', () => ['check', '--deep', '--config', config]],
    ['explain', () => ['explain', 'P0', '--config', config]],
    ['preview', () => ['preview', 'P0', '--config', config]],
    ['sites', () => ['sites', '--config', config]],
    ['votes', () => ['votes', '--config', config]],
    ['grants', () => ['grants', '--config', config]],
    ['clock', () => ['clock', '--config', config]],
    ['keys', () => ['keys', '--config', config]],
    ['reload', () => ['reload', '--config', config]],
    ['config check', () => ['config', 'check', config]],
    ['config explain', () => ['config', 'explain']],
    ['config schema', () => ['config', 'schema']],
    ['backup', (run: number) => ['backup', backups(run), '--config', config]],
  ] as const;

export async function commands(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const { folder } = await bench.filled(sizes.ledgers[0]);
  const gameServer = await start(installed, [installed.script('game-server'), '1']);
  const { config } = writeHome(folder, {
    gameServers: { main: rcon(gameServer.ready.listener.port) },
    rewards: TWO_REWARDS,
  });
  const teller = await start(installed, [installed.cli, 'run', '--config', config]);
  const backups = bench.folder('backups');
  for (const [name, argsOf] of commandsIn(config, (run) => join(backups, String(run)))) {
    const times: number[] = [];
    for (let run = 0; run < Math.min(RUNS, sizes.rounds); run++) {
      bench.say(name);
      times.push((await runCommand(installed, argsOf(run))).ms);
    }
    bench.row(name, { 'median ms': median(times), 'slowest ms': percentile(times, 1) });
  }
  await teller.stop();
  await gameServer.stop();
}
