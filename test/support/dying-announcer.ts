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
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Death, ledgerAt } from './dying.ts';
import { silentLog } from './log.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival } from './votes.ts';

const [, , file = '', sentFile = '', when = '', count = ''] = process.argv;
const death = new Death(when, Number(count));
const sending = new Death(when === 'sending' ? 'while' : 'never', Number(count));
const ledger = death.callsOf(ledgerAt(file).ledger, ['announce', 'storePresent', 'claim', 'settle']);

const server: GameServer = {
  open: async () => ({ kind: 'open' }),
  ready: async () => ({ kind: 'open' }),
  sendsAtOnce: () => true,
  run: async (command) => {
    appendFileSync(sentFile, `${command}\n`);
    sending.step();
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
  messages: ['say {player} voted'],
  announcement: { isWhole: false, atMost: { count: 2, withinMs: 3_600_000 } },
} as const;
const rules = { ...arrival().rules, rewards: [news] };

if ((await ledger.votes({ limit: 1 })).length === 0) {
  const receivedAt = systemClock.now();
  for (const player of ['Alex', 'Steve', 'Sasha'])
    await ledger.record({ ...arrival({ player, receivedAt }), rules }, null);
}
await ledger.settleInterrupted(systemClock.now());
const seen = new SeenPlayers(ledger, systemClock, { rules, believed: new Set() });
const queue = new GameServerQueue({
  ...{ name: 'main', practice: false, server, ledger, joinDelayMs: 0, presenceIntervalMs: 1_000 },
  ...{ clock: systemClock, random: systemRandom, log: silentLog, seen },
});
queue.keepsSeen = true;
queue.start();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (((await ledger.grantStates()).pending ?? 0) === 0) break;
}
await queue.close();
await ledger.close();
