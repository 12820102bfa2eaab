import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ledgerSchema } from '../../../src/ledger/sqlite/schema.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openDatabase } from '../../../src/platform/sqlite/open.ts';
import type { Bench } from '../bench-run.ts';
import { playersOf } from '../big-ledger.ts';
import { type Home, rcon, TWO_WAITING, writeHome } from '../config.ts';
import type { CommandsSeen, GameServerOrder } from '../game-server.ts';
import { type Measured, runCommand, start } from '../processes.ts';
import { queries } from '../queries.ts';
import { sample } from '../sampling.ts';

/** Players who join at the same moment. */
const JOINING = 500;
const SETTLE_SECONDS_MAX = 120;

interface Watched {
  readonly teller: Measured;
  /** Does nothing: its delay is the machine's. */
  readonly control: Measured;
}

/** How long the event loop of a running Teller is blocked while other things happen. */
export async function delay(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const control = await start(installed, [installed.script('idle')]);
  const gameServer = await start(installed, [installed.script('game-server'), '1']);
  await inLargeLedger(bench, control, gameServer);
  const { folder } = await bench.filled(sizes.ledgers[1]);
  const { config } = homeIn(folder, gameServer);
  const teller = await start(installed, [installed.cli, 'run', '--config', config]);
  await watch(bench, { teller, control }, `a backup of ${shownVotes(sizes.ledgers[1])} during votes`, () =>
    Promise.all([
      runCommand(installed, ['backup', join(bench.folder('backup'), 'made'), '--config', config]),
      votesFor(bench, teller, 16),
    ]),
  );
  for (const { stop } of [teller, gameServer, control]) await stop();
}

async function inLargeLedger(bench: Bench, control: Measured, gameServer: Measured): Promise<void> {
  const { installed, sizes } = bench;
  const [, , large] = sizes.ledgers;
  const { folder } = await bench.filled(large);
  const home = homeIn(folder, gameServer);
  const waiting = oweWaiting(home);
  const teller = await start(installed, [installed.cli, 'run', '--config', home.config]);
  const watched = { teller, control };
  const grants = waiting.toLocaleString('en-US');
  await watch(bench, watched, `${grants} grants of absent players come due, during votes`, () =>
    votesFor(bench, teller, 16, playersOf(large)),
  );
  await settled(bench, home);
  await watch(bench, watched, `${grants} grants wait`, () => pause(sizes.watchSeconds * 1_000));
  await watch(bench, watched, 'a flood of votes', () => votesFor(bench, teller, 512, playersOf(large)));
  await settled(bench, home);
  await watch(bench, watched, `explain and the lists, of ${shownVotes(large)}`, async () => {
    for (const { args } of queries) await runCommand(installed, [...args, '--config', home.config]);
  });
  const names = await waitingNames(bench, home);
  await ask(gameServer, { kind: 'forget' });
  const joining = `${names.length} players with waiting grants join`;
  await watch(bench, watched, joining, async () => {
    await ask(gameServer, { kind: 'players', names });
    await pause(sizes.watchSeconds * 1_000);
  });
  // Shows that they were paid meanwhile.
  bench.row(joining, { commands: (await ask<CommandsSeen>(gameServer, { kind: 'commands' })).count });
  await ask(gameServer, { kind: 'players', names: [] });
  await teller.stop();
}

const ask = <Answer>(gameServer: Measured, order: GameServerOrder): Promise<Answer> => gameServer.ask(order);

const shownVotes = (votes: number): string => `${votes.toLocaleString('en-US')} votes`;

const homeIn = (folder: string, gameServer: Measured): Home =>
  writeHome(folder, {
    gameServers: { main: rcon(gameServer.ready.listener.port, { presenceInterval: '1s' }) },
    rewards: TWO_WAITING,
  });

async function watch(
  bench: Bench,
  { teller, control }: Watched,
  activity: string,
  run: () => Promise<unknown>,
): Promise<void> {
  bench.say(activity);
  await Promise.all([teller.watchDelay(), control.watchDelay()]);
  await run();
  const [own, machine] = await Promise.all([teller.delay(), control.delay()]);
  bench.row(
    activity,
    {
      'p99.9 ms': Math.max(0, own.p999Ms - machine.p999Ms),
      'max ms': Math.max(0, own.maxMs - machine.maxMs),
      'machine p99.9 ms': machine.p999Ms,
      'machine max ms': machine.maxMs,
    },
    { 'p99.9 ms': 'delay-p999' },
  );
}

const votesFor = (bench: Bench, server: Measured, connections: number, players?: number) =>
  sample(
    bench,
    { name: 'v2', version: 'v2', server, ...(players !== undefined && { players }) },
    { votes: 1_000_000, connections, seconds: bench.sizes.watchSeconds },
  );

/** As if the game server had been unreachable until now: the waiting grants become pending. @returns how many. */
function oweWaiting({ ledger }: Home): number {
  const database = openDatabase(ledger, ledgerSchema, 'write');
  try {
    const { changes } = database
      .prepare("UPDATE grants SET state = 'pending', reason = NULL WHERE state = 'waiting'")
      .run();
    return changes;
  } finally {
    database.close();
  }
}

/** Waits until no grant is pending. */
async function settled(bench: Bench, { config }: Home): Promise<void> {
  bench.say('waits until no grant is pending');
  const until = systemClock.monotonic() + SETTLE_SECONDS_MAX * 1_000;
  const pending = ['grants', '--state', 'pending', '--limit', '1', '--json', '--config', config];
  while (systemClock.monotonic() < until) {
    const { out } = await runCommand(bench.installed, pending);
    if (out.trim() === '[]') return;
    await pause(1_000);
  }
}

/** Players with waiting grants, each once. */
async function waitingNames(bench: Bench, { config }: Home): Promise<string[]> {
  const listed = [
    'grants',
    '--state',
    'waiting',
    '--limit',
    String(JOINING * 2),
    '--json',
    '--config',
    config,
  ];
  const { out } = await runCommand(bench.installed, listed);
  const grants = JSON.parse(out) as { readonly player: string }[];
  return [...new Set(grants.map(({ player }) => player))].slice(0, JOINING);
}
