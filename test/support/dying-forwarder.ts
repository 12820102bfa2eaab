/**
 * A process that records three votes, forwards them to a listener over real sockets, and kills itself (SIGKILL) at a chosen
 * step: a call of the ledger that commits, or a write to a socket.
 *
 * Argument: what it is told, as JSON (`Told`). It ends by itself when nothing is left that it can forward.
 */
import { Socket } from 'node:net';
import { Secret } from '../../src/config/config.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { votifier } from '../../src/delivery/kinds/votifier/kind.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Rules } from '../../src/rewards/reward.ts';
import { forwardOf } from '../../src/votes/intake/forward.ts';
import { Death, die, ledgerAt } from './dying.ts';
import { silentLog } from './log.ts';
import { ONE_REWARD_RULES } from './one-reward.ts';
import { arrival } from './votes.ts';

export interface Told {
  readonly ledger: string;
  readonly port: number;
  readonly token: string;
  readonly players: readonly string[];
  /** The n-th step, from 1; null: it lives. */
  readonly kill: { readonly when: 'before' | 'after'; readonly step: number } | null;
}

const told = JSON.parse(process.argv[2] ?? '') as Told;
const death = new Death(told.kill?.when ?? 'never', told.kill?.step ?? 0);

/** A write hands its bytes to the kernel before it returns. */
const write = Socket.prototype.write as (this: Socket, ...given: unknown[]) => boolean;
Socket.prototype.write = function (this: Socket, ...given: unknown[]): boolean {
  death.steps += 1;
  const isIt = death.steps === told.kill?.step;
  if (isIt && told.kill?.when === 'before') die();
  const result = write.apply(this, given);
  if (isIt) die();
  return result;
} as typeof Socket.prototype.write;

const ledger = death.callsOf(ledgerAt(told.ledger).ledger, ['record', 'claim', 'settle']);

const MAX_AGE_MS = 24 * 60 * 60_000;
const rules: Rules = {
  ...ONE_REWARD_RULES,
  rewards: [],
  targets: [{ server: 'old', maxAgeMs: MAX_AGE_MS, pays: false }],
};
const tools = { clock: systemClock, random: systemRandom };
const server = await votifier.connect(
  {
    ...{ kind: 'votifier', host: '127.0.0.1', port: told.port, protocol: 'v2', publicKey: undefined },
    ...{ token: new Secret(told.token), maxAge: MAX_AGE_MS, pays: false },
    ...{ commandPauseMs: 0, commandTimeoutMs: 2_000, joinDelayMs: 0, presenceIntervalMs: 100 },
    ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
  },
  { name: 'old', ...tools, log: silentLog, embedded: null },
);
const seen = new SeenPlayers(ledger, systemClock, { rules, believed: new Set() });
const queue = new GameServerQueue({
  ...{ name: 'old', practice: false, server, ledger, log: silentLog, seen },
  ...{ joinDelayMs: 0, presenceIntervalMs: 100, ...tools },
});
const delivery = new Delivery({
  queues: [queue],
  kindByServer: new Map([['old', 'votifier']]),
  whileDelivering: [],
  ...{ ledger, log: silentLog },
  clock: systemClock,
});
await delivery.start();
for (const [at, player] of told.players.entries()) {
  const judged = arrival({ player, eventId: `vote-${at}`, receivedAt: systemClock.now() });
  await ledger.record({ ...judged, rules, ...forwardOf(judged, '203.0.113.9', rules) }, null);
  delivery.nudge();
}

const GIVE_UP_MS = 5_000;
const end = performance.now() + GIVE_UP_MS;
const isOpen = async (): Promise<boolean> => ((await ledger.grantStates()).pending ?? 0) > 0;
while (performance.now() < end && (await isOpen())) await new Promise((resolve) => setTimeout(resolve, 5));
await delivery.close();
await ledger.close();
