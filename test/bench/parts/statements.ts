import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRconServer, timeCommands } from '../game-server.ts';
import { ALL_CONDITIONS, type Bench, rcon, startTeller, TWO_REWARDS, TWO_WAITING } from '../measuring.ts';
import { probedThreads } from '../processes.ts';
import { type BarId, maximum, median } from '../report.ts';
import { exchange, isAnsweredOk, SERVICES, v2Frame } from '../votes.ts';

const PLAYERS = 20;
/** After an answer, what delivery reads because of it. */
const SETTLED_MS = 100;
const IDLE_SECONDS = 60;

/**
 * How many statements SQLite runs: for a vote of a player who voted on another site before, one vote at a time; for a command; and in
 * a minute without either. BEGIN and COMMIT do not count.
 */
export async function statements(bench: Bench): Promise<void> {
  await ofVotes(bench, 'without rewards', { rewards: [] }, 'vote-statements');
  await ofVotes(bench, 'two plain rewards', { rewards: TWO_WAITING }, 'rewarded-statements');
  await ofVotes(bench, 'every condition', { rewards: ALL_CONDITIONS }, 'conditions-statements');
  await ofCommands(bench);
  await ofIdleMinute(bench);
}

/** Whether another process has written. */
const LOOK = 'PRAGMA data_version';

interface Ran {
  readonly alone: readonly string[];
  readonly transactions: readonly (readonly string[])[];
}

/** What every thread of a Teller has run since the last time. */
function watching(file: string): () => Ran {
  let seen = 0;
  return () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const lines = text.slice(seen).split('\n').filter(Boolean).map(withoutTime);
    seen = text.length;
    return byTransaction(lines);
  };
}

const withoutTime = (line: string): string => line.slice(line.indexOf(' ') + 1);

function byTransaction(lines: readonly string[]): Ran {
  const alone: string[] = [];
  const transactions: string[][] = [];
  let open = alone;
  for (const statement of lines) {
    if (statement.startsWith('BEGIN')) {
      open = [];
      transactions.push(open);
    } else if (/^(?:COMMIT|ROLLBACK)/.test(statement)) open = alone;
    // Each transaction begins with the look.
    else if (open === alone || !statement.startsWith(LOOK)) open.push(statement);
  }
  return { alone, transactions };
}

async function started(bench: Bench, name: string, overrides: object) {
  const folder = bench.folder(name.replaceAll(' ', '-'));
  const file = join(folder, 'statements');
  const env = { STATEMENTS: file, ...probedThreads(bench.installed) };
  const teller = await startTeller(bench, folder, overrides, { env });
  return { teller, look: watching(file) };
}

async function ofVotes(bench: Bench, name: string, overrides: object, bar: BarId): Promise<void> {
  bench.say(`a vote, ${name}`);
  const { teller, look } = await started(bench, name, overrides);
  const { port } = teller.ready.listener;
  const vote = async (player: number, serviceName: string): Promise<void> => {
    const ballot = { serviceName, username: `Known${player}`, address: '192.0.2.1', timestamp: Date.now() };
    const answer = await exchange({ port, block: (greeting) => v2Frame(ballot, greeting) });
    if (!isAnsweredOk(answer)) throw new Error(`a vote was not answered ok: ${answer.received}`);
  };
  const [first = '', second = ''] = SERVICES;
  for (let player = 0; player < PLAYERS; player++) await vote(player, first);
  // The first vote of a site on a day has its row made.
  await vote(PLAYERS, second);
  const counts: number[] = [];
  for (let player = 0; player < PLAYERS; player++) {
    await pause(SETTLED_MS);
    look();
    await vote(player, second);
    counts.push(look().transactions.find(isVote)?.length ?? 0);
  }
  await teller.stop();
  bench.row(`a vote, ${name}`, { statements: median(counts), most: maximum(counts) }, { statements: bar });
}

/** Looking for what is due is not part of a command. */
const isWrite = (statement: string): boolean => !statement.startsWith('SELECT');
const isVote = (written: readonly string[]): boolean =>
  written.some((each) => /^INSERT INTO votes\b/.test(each));

async function ofCommands(bench: Bench): Promise<void> {
  bench.say('a command');
  const server = await startRconServer();
  const gameServers = { main: rcon(server.port, { joinDelay: '0s' }) };
  const rewards = TWO_REWARDS.slice(0, 1);
  const { teller, look } = await started(bench, 'commands', { gameServers, rewards });
  const { port } = teller.ready.listener;
  await timeCommands(server, port, [], 0, PLAYERS);
  look();
  await timeCommands(server, port, [], PLAYERS, 2 * PLAYERS);
  const others = look().transactions.filter((each) => !isVote(each) && each.some(isWrite));
  await teller.stop();
  server.close();
  const perCommand = others.reduce((sum, { length }) => sum + length, 0) / PLAYERS;
  bench.row('a delivered command', { statements: perCommand }, { statements: 'command-statements' });
}

async function ofIdleMinute(bench: Bench): Promise<void> {
  bench.say('a minute in which nothing happens');
  const gameServers = { main: { kind: 'practice' } };
  const { teller, look } = await started(bench, 'idle', { gameServers, rewards: TWO_REWARDS });
  await pause(SETTLED_MS * 20);
  look();
  await pause(IDLE_SECONDS * 1_000);
  const { alone, transactions } = look();
  await teller.stop();
  const looks = alone.filter((each) => each.startsWith(LOOK)).length;
  const rest = alone.length - looks + transactions.flat().length;
  const figures = { looks, statements: rest };
  bench.row('an idle minute', figures, { looks: 'idle-looks', statements: 'idle-statements' });
}
