/** The game servers: they keep running when Teller is killed, and record what they were sent. */
import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, rconGame } from '../kit/game.ts';
import { HTTP_SECRET, type HttpAnswer, httpGame } from '../kit/http-game.ts';
import { signature } from '../kit/webhook.ts';
import type { Seeded } from '../support/seeded.ts';

/** What a kill can follow at once: a vote was answered, a command was received, or one was received and its answer is delayed. */
export type KillTrigger = 'answer' | 'command' | 'hang';

/** A command as the game server itself recorded it. */
export interface RecordedCommand {
  /** In ms since the Unix epoch. */
  readonly at: number;
  readonly command: string;
  /** How it was completely answered. `not run`: it was received, and for example the player was offline. */
  readonly reply: 'confirmed' | 'refused' | 'neither' | 'not run';
  /** Of the player who was given something. */
  readonly uuid: string | null;
}

interface Player {
  readonly name: string;
  readonly uuid: string;
}

const JOINS = 0.4;
const LEAVES = 0.15;
/** In the middle of a grant. */
const LEAVES_DURING_GRANT = 0.1;
const HAS_FAULT = 0.4;
/** Each makes the outcome of a command unknown, some until the kill. The last two do not run it. */
const FAULTS: readonly Fault[] = [
  ...(['run-and-close', 'run-and-silent', 'half-reply', 'garbage-length'] as const),
  ...(['close', 'silent'] as const),
];
const ABSENT = 'No player was found';
const QUESTION = /^(?:minecraft:)?(?:list\b|execute )/;

export type MinecraftServer = Awaited<ReturnType<typeof startMinecraftServer>>;

/** A game server behind RCON. Players join and leave. */
export async function startMinecraftServer(random: Seeded, events: EventEmitter) {
  const recorded: RecordedCommand[] = [];
  /** By their names in lower case, like all that is about players here. */
  const online = new Map<string, Player>();
  /** From joining to leaving, in ms since the Unix epoch; `to` is null as long as the player is there. */
  const stays: { readonly player: string; readonly from: number; to: number | null }[] = [];
  let fault: Fault | null = null;
  let areFaultsOff = false;
  // Lifetimes are short: presence is read often, and players are paid as soon as they are seen.
  const game = await rconGame({ presenceInterval: '100ms' });
  const show = (): void => game.show(...[...online.values()].map(({ name, uuid }) => `${name} (${uuid})`));
  const join = (name: string, uuid = offlineUuid(name)): void => {
    const player = name.toLowerCase();
    if (online.has(player)) return;
    online.set(player, { name, uuid });
    stays.push({ player, from: Date.now(), to: null });
    show();
  };
  const leave = (name: string): void => {
    const last = stays.findLast(({ player }) => player === name.toLowerCase());
    if (last !== undefined) last.to ??= Date.now();
    online.delete(name.toLowerCase());
    show();
  };
  const run = (command: string, player: Player | undefined): string => {
    const [word, target, item] = command.split(' ');
    const isHeard = player !== undefined || (target === '@a' && online.size > 0);
    if (word === 'tellraw') return isHeard ? '' : ABSENT;
    if (word !== 'give') return '';
    return player === undefined ? ABSENT : `Gave 1 [${item}] to ${player.name}`;
  };
  // Called when a command has come; its answer is sent after that.
  game.reply((command) => {
    if (QUESTION.test(command)) return undefined;
    const [now, target = ''] = [fault, command.split(' ')[1]];
    fault = null;
    const player = online.get(target.toLowerCase());
    const said = now === 'close' || now === 'silent' ? ABSENT : run(command, player);
    const hasRun = said !== ABSENT;
    const uuid = hasRun ? (player?.uuid ?? null) : null;
    recorded.push({ at: Date.now(), command, reply: hasRun ? 'confirmed' : 'not run', uuid });
    events.emit('command');
    const isGrant = /^give \S+ (?:diamond|apple)/.test(command);
    if (isGrant && !areFaultsOff && random.chance(LEAVES_DURING_GRANT)) leave(target);
    return now ?? said;
  });
  return {
    ...{ entry: game.entry, recorded, join, leave },
    /** Sets a fault for one command in some lifetimes. */
    startLifetime: (): void => {
      fault = random.chance(HAS_FAULT) ? random.pick(FAULTS) : null;
    },
    /** Lets some of these players join, and sometimes one player leave. */
    joinAndLeave: (players: readonly string[]): void => {
      for (const player of players) if (random.chance(JOINS)) join(player);
      const leaving = random.chance(LEAVES) ? random.pick([...online.keys()]) : undefined;
      if (leaving !== undefined) leave(leaving);
    },
    /** From now on it answers every command, and these players stay online. */
    joinAll: (players: readonly string[]): void => {
      areFaultsOff = true;
      fault = null;
      for (const player of players) join(player);
    },
    /** Whether they were there at some moment. Both times are included. */
    wasThere: (name: string, since: number, until: number): boolean =>
      stays
        .filter(({ player }) => player === name.toLowerCase())
        .some(({ from, to }) => from <= until && (to ?? until) >= since),
  };
}

/** Such as a server in offline mode gives to a name: version 3. */
function offlineUuid(name: string): string {
  const hex = createHash('md5').update(`OfflinePlayer:${name}`).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-3$3-8$4-$5');
}

/** How long Teller waits for an answer. Some answers come later. */
const RECEIVER_TIMEOUT_MS = 300;
const MAX_HANG_MS = 500;

interface Behaviour {
  /** Teller pauses for a second after most faults, so few fit into one lifetime. */
  readonly chance: number;
  readonly reply: RecordedCommand['reply'];
  readonly answer: HttpAnswer;
}

const CUT_OFF = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndone';
const WELL: Behaviour = { chance: 1, reply: 'confirmed', answer: { body: 'done' } };
const HANG: Behaviour = { chance: 0.1, reply: 'confirmed', answer: { body: 'done late' } };
const BEHAVIOURS: readonly Behaviour[] = [
  HANG,
  { chance: 0.05, reply: 'neither', answer: { status: 500, body: 'internal error' } },
  { chance: 0.05, reply: 'refused', answer: { status: 422, body: 'no such user' } },
  { chance: 0.05, reply: 'neither', answer: (socket) => socket.destroy() },
  { chance: 0.05, reply: 'neither', answer: (socket) => socket.write(CUT_OFF, () => socket.destroy()) },
];

/** The game server of kind `http`. It records signed commands; some answers are missing or cut off. */
export async function startHttpReceiver(random: Seeded, events: EventEmitter) {
  const recorded: RecordedCommand[] = [];
  /** Requests that it must not get, in words. */
  const faults: string[] = [];
  const ids = new Set<unknown>();
  let areFaultsOff = false;
  const drawn = (): Behaviour => {
    if (areFaultsOff) return WELL;
    let left = random.next();
    // A kill waits for it.
    if (events.listenerCount('hang') > 0) return HANG;
    for (const behaviour of BEHAVIOURS) {
      left -= behaviour.chance;
      if (left < 0) return behaviour;
    }
    return WELL;
  };
  const { entry, answer } = await httpGame({ commandTimeout: `${RECEIVER_TIMEOUT_MS}ms` });
  answer(async ({ said: { id, command, server }, body, headers }) => {
    const behaviour = drawn();
    if (headers['x-webhook-signature'] !== signature(body, HTTP_SECRET))
      faults.push(`a command with a wrong signature was received: ${body}`);
    if (ids.has(id)) faults.push(`the command ID ${id} was received twice (“${command}”)`);
    if (server !== 'city') faults.push(`“${command}” was received for the game server ${server}`);
    ids.add(id);
    recorded.push({ at: Date.now(), command: String(command), reply: behaviour.reply, uuid: null });
    events.emit(behaviour === HANG ? 'hang' : 'command');
    if (behaviour === HANG) await pause(random.next() * MAX_HANG_MS);
    return behaviour.answer;
  });
  return {
    ...{ entry, recorded, faults },
    /** From now on it answers every command. */
    stopFaults: () => {
      areFaultsOff = true;
    },
  };
}
