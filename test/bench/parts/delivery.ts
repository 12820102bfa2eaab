import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench-run.ts';
import { rcon, TWO_REWARDS, writeHome } from '../config.ts';
import type { CommandsSeen, GameServerOrder, Latencies } from '../game-server.ts';
import { type Measured, start } from '../processes.ts';
import { sample } from '../sampling.ts';

const VOTES_TIMED = 200;
const PLAYERS = 50;
const COMMANDS_SECONDS_MAX = 60;
const [THANKS, DAILY] = TWO_REWARDS;

/** From a vote to its command, and how fast commands follow each other. */
export async function delivery(bench: Bench): Promise<void> {
  const gameServer = await start(bench.installed, [bench.installed.script('game-server'), '1']);
  await timeVotes(bench, gameServer, 'a reward that is always paid', THANKS, 'vote-to-command');
  const names = Array.from({ length: PLAYERS }, (_, index) => `Online${index}`);
  await ask(gameServer, { kind: 'players', names });
  await timeVotes(bench, gameServer, 'a reward for players who are online', DAILY);
  await countCommands(bench, gameServer);
  await gameServer.stop();
}

const ask = <Answer>(gameServer: Measured, order: GameServerOrder): Promise<Answer> => gameServer.ask(order);

async function timeVotes(
  bench: Bench,
  gameServer: Measured,
  name: string,
  reward: object | undefined,
  bar?: 'vote-to-command',
): Promise<void> {
  const { installed } = bench;
  bench.say(`from the vote to its command: ${name}`);
  const gameServers = { main: rcon(gameServer.ready.listener.port, { joinDelay: '0s' }) };
  const { config } = writeHome(bench.folder(name.replaceAll(' ', '-')), { gameServers, rewards: [reward] });
  const teller = await start(installed, [installed.cli, 'run', '--config', config]);
  const { port } = teller.ready.listener;
  // The first votes also connect to the game server and compile the code.
  await ask<Latencies>(gameServer, { kind: 'votes', port, votes: PLAYERS });
  const { medianMs, p99Ms, maxMs, missing } = await ask<Latencies>(gameServer, {
    kind: 'votes',
    port: teller.ready.listener.port,
    votes: PLAYERS + VOTES_TIMED,
  });
  const figures = { 'median ms': medianMs, 'p99 ms': p99Ms, 'slowest ms': maxMs, missing };
  bench.row(`vote to command: ${name}`, figures, bar === undefined ? {} : { 'median ms': bar });
  await teller.stop();
}

/** Grants that were owed when the game server could be reached again. */
async function countCommands(bench: Bench, gameServer: Measured): Promise<void> {
  const { installed, sizes } = bench;
  const folder = bench.folder('commands');
  const { config } = writeHome(folder, { rewards: [THANKS] });
  const before = await start(installed, [installed.cli, 'run', '--config', config]);
  const target = { name: 'v2', version: 'v2', server: before } as const;
  await sample(bench, target, { votes: sizes.votes, connections: 64 });
  await before.stop();
  await ask(gameServer, { kind: 'forget' });

  bench.say(`commands of ${sizes.votes} grants that were owed`);
  writeHome(folder, { gameServers: { main: rcon(gameServer.ready.listener.port) }, rewards: [THANKS] });
  const teller = await start(installed, [installed.cli, 'run', '--config', config]);
  let seen: CommandsSeen = { count: 0, seconds: 0 };
  for (let second = 0; second < COMMANDS_SECONDS_MAX && seen.count < sizes.votes; second++) {
    await pause(1_000);
    seen = await ask<CommandsSeen>(gameServer, { kind: 'commands' });
  }
  bench.row('commands that were owed', { 'commands/s': seen.count / seen.seconds });
  await teller.stop();
}
