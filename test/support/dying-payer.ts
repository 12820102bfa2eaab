/**
 * A process that records one vote of Steve, pays its grants on game servers over real sockets, and kills itself (SIGKILL) at
 * a chosen point.
 *
 * Argument: what it is told, as JSON (`Told`). It ends by itself when nothing is left that it can pay.
 */
import { Secret } from '../../src/config/config.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { rconGameServer } from '../../src/delivery/kinds/rcon/game-server.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { Death, ledgerAt } from './dying.ts';
import { silentLog } from './log.ts';
import { ONE_REWARD_RULES } from './one-reward.ts';
import { arrival } from './votes.ts';

/** Calls of the ledger that commit, and what is written to game servers. */
export const DYING_AT = ['claim', 'settle', 'run'] as const;

export interface KillPoint {
  readonly at: (typeof DYING_AT)[number];
  /** Which of these calls, from 1. */
  readonly count: number;
  /** Before it is made, or after it has returned. */
  readonly when: 'before' | 'after';
}

export interface Told {
  readonly ledger: string;
  readonly password: string;
  /** By name: their ports on loopback. */
  readonly gameServers: Readonly<Record<string, number>>;
  readonly reward: Reward;
  /** null: it lives. */
  readonly kill: KillPoint | null;
}

const told = JSON.parse(process.argv[2] ?? '') as Told;
const death = new Death(told.kill?.when ?? 'never', told.kill?.count ?? 0);

/** Only the chosen calls are steps. */
const dying = <Whole extends object>(
  whole: Whole,
  ...names: readonly (KillPoint['at'] & keyof Whole)[]
): Whole =>
  death.callsOf(
    whole,
    names.filter((name) => name === told.kill?.at),
  );

const ledger = dying(ledgerAt(told.ledger).ledger, 'claim', 'settle');

const IMPATIENT = { joinDelayMs: 0, presenceIntervalMs: 100 };
const PATTERNS = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };
const tools = { clock: systemClock, random: systemRandom };

function gameServer(port: number): GameServer {
  const waits = { commandPauseMs: 0, commandTimeoutMs: 2_000, quietMs: 20, closeWaitMs: 5 };
  const at = { host: '127.0.0.1', port, password: new Secret(told.password) };
  const server = rconGameServer({ ...at, ...waits, ...PATTERNS, ...tools });
  return dying(server, 'run');
}

const rules = { ...ONE_REWARD_RULES, rewards: [told.reward] };
await ledger.useConfig({ rewards: rules.rewards, today: 0 });
await ledger.record({ ...arrival({ eventId: 'vote-1' }), rules }, null);

const seen = new SeenPlayers(ledger, systemClock, { rules, believed: new Set() });
const delivery = new Delivery({
  queues: Object.entries(told.gameServers).map(
    ([name, port]) =>
      new GameServerQueue({
        ...{ name, practice: false, server: gameServer(port), ledger, log: silentLog, seen },
        ...IMPATIENT,
        ...tools,
      }),
  ),
  kindByServer: new Map(Object.keys(told.gameServers).map((name) => [name, 'rcon'])),
  whileDelivering: [],
  ...{ ledger, log: silentLog },
  clock: systemClock,
});
await delivery.start();

/** Long enough for several looks at who is online. */
const GIVE_UP_MS = 1_500;
const end = performance.now() + GIVE_UP_MS;
const isOpen = async (): Promise<boolean> => {
  const { pending = 0, waiting = 0 } = await ledger.grantStates();
  return pending + waiting > 0;
};
while (performance.now() < end && (await isOpen())) await new Promise((resolve) => setTimeout(resolve, 20));
await delivery.close();
await ledger.close();
