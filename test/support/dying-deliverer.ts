/**
 * A process that delivers what a player is owed on all kinds of terms, and kills itself (SIGKILL) before or right after the
 * n-th change that it makes: a commit of the ledger, or a command that reaches the game server. Run again, it goes on.
 *
 * Arguments: folder for the ledger and for what the game server received; `before`, `after` or `never`; n. Prints how many
 * changes it made.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GrantTerms, NO_TERMS } from '../../src/core/grant-terms.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { Death, ledgerAt } from './dying.ts';
import { FakeClock } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import { silentLog } from './log.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , folder = '', when = '', at = ''] = process.argv;
const death = new Death(when, Number(at));

/** Each is a commit of its own, because it is awaited. */
const CHANGES = [
  ...(['record', 'wait', 'waitForAbsent', 'claim', 'settle'] as const),
  ...(['applyTerms', 'settleInterrupted', 'pause', 'resume'] as const),
] as const;

const clock = new FakeClock('2026-06-08T12:00:00Z');
const ledger = death.callsOf(ledgerAt(join(folder, 'teller.db'), { clock }).ledger, CHANGES);

let online: string[] = [];
const server: GameServer = {
  open: async () => ({ kind: 'open' }),
  ready: async () => ({ kind: 'open' }),
  sendsAtOnce: () => true,
  presence: async () => ({ kind: 'known', names: online }),
  ask: async () => ({ kind: 'reply', text: '' }),
  run: (command) =>
    death.call(async () => {
      appendFileSync(join(folder, 'received'), `${command}\n`, { flush: true });
      return { kind: 'delivered', reply: '' };
    }),
  close: async () => {},
};

const reward = (
  name: string,
  command: string,
  terms: Partial<GrantTerms>,
  more: Partial<Reward>,
): Reward => ({
  ...{ ...PLAIN_REWARD, ...more, name },
  commands: [command, `say ${name} is paid`],
  terms: { ...NO_TERMS, ...terms },
});
const REWARDS: readonly Reward[] = [
  reward('late', 'say late', { delayMs: 7 * DAY }, { when: 'always' }),
  reward('gone', 'say gone', { expiresAfterMs: DAY }, { when: 'online' }),
];

const parts = { clock, log: silentLog, ledger, random: fixedRandom(0) };
const seen = new SeenPlayers(ledger, clock, { rules: arrival().rules, believed: new Set(['main']) });
const queue = new GameServerQueue({
  seen,
  ...{ ...parts, name: 'main', practice: false, server, joinDelayMs: 0, presenceIntervalMs: 10_000 },
});
const delivery = new Delivery({
  ...{ ...parts, queues: [queue], kindByServer: new Map([['main', 'rcon']]), whileDelivering: [] },
});

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Steve votes a week before he is there; a vote that is there already is not recorded again. */
await ledger.record({ ...arrival(), rules: { ...arrival().rules, rewards: REWARDS } }, null);
await delivery.start();
await pass(25);
await ledger.pause({ server: null, reward: null }, 'admin', clock.now());
online = ['Steve'];
await pass(25);
await ledger.resume({ server: null, reward: null }, 'admin', clock.now());
await pass(60);
await delivery.close();
await ledger.close();
process.stdout.write(`${death.steps}\n`);
