/**
 * A process that pays three grants, each a command and an announcement, and kills itself (SIGKILL) at the n-th of its steps:
 * before or after a call that stores something, or while a command is being sent. What was sent is in a file.
 *
 * Arguments: ledger file; file of what was sent; `before`, `after`, `sending` or `never`; n.
 */
import { appendFileSync } from 'node:fs';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { ledgerInProcess } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { ledgerWork } from '../../src/ledger/sqlite/work.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival } from './votes.ts';

const [, , file = '', sentFile = '', when = '', count = ''] = process.argv;
let steps = 0;

function step(kind: 'before' | 'after' | 'sending'): void {
  if (kind !== when) return;
  steps += 1;
  if (steps === Number(count)) process.kill(process.pid, 'SIGKILL');
}

const database = openDatabase(file, ledgerSchema, 'create');
database.exec("UPDATE time_zone SET zone = 'UTC'");
const real = ledgerInProcess(
  { work: ledgerWork(database), replacesLost: false },
  { clock: systemClock, onClockNews: () => {} },
);

const dying =
  <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    step('before');
    const result = await call(...args);
    step('after');
    return result;
  };

const ledger: Ledger = {
  ...real,
  announce: dying(real.announce),
  storePresent: dying(real.storePresent),
  claim: dying(real.claim),
  settle: dying(real.settle),
};

const server: GameServer = {
  open: async () => ({ kind: 'open' }),
  ready: async () => ({ kind: 'open' }),
  sendsAtOnce: () => true,
  run: async (command) => {
    appendFileSync(sentFile, `${command}\n`);
    step('sending');
    return { kind: 'delivered', reply: '' };
  },
  ask: async () => ({ kind: 'unreachable' }) as never,
  presence: async () => ({ kind: 'known', names: ['Alex', 'Steve', 'Sasha'] }),
  close: async () => {},
};

const news = {
  ...PLAIN_REWARD,
  name: 'news',
  commands: ['give {player} diamond 1'],
  messages: ['say {voters} voted'],
  announcement: { isWhole: false, strangers: false, atMost: { count: 2, withinMs: 3_600_000 } },
} as const;
const rules = {
  rewards: [news],
  practiceServers: new Set<string>(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  parties: [],
  zone: 'UTC',
};

if ((await real.votes({ limit: 1 })).length === 0) {
  const receivedAt = systemClock.now();
  for (const player of ['Alex', 'Steve', 'Sasha'])
    await real.record({ ...arrival({ player, receivedAt }), rules }, null);
}
await real.settleInterrupted(systemClock.now());
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const seen = new SeenPlayers(ledger, systemClock, { rules, believed: new Set() });
const queue = new GameServerQueue({
  ...{ name: 'main', practice: false, server, ledger, joinDelayMs: 0, presenceIntervalMs: 1_000 },
  ...{ clock: systemClock, random: systemRandom, log, seen },
});
queue.keepsSeen = true;
queue.start();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (((await real.grantStates()).pending ?? 0) === 0) break;
}
await queue.close();
await real.close();
