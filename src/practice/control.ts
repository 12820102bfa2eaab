import type { Clock, PracticeTime } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { parsePlayerUuid } from '../core/player-uuid.ts';
import { Problem } from '../core/problem.ts';
import { PRACTICE_STEP, PRACTICE_TOO_FAR, practiceStep } from '../platform/practice-clock.ts';
import { CommandLine } from './command-line.ts';
import { type FaultName, type FaultSwitches, faults, isFaultName } from './faults.ts';
import { uuidOf } from './list.ts';
import { isPlayerName, type World } from './world.ts';

/**
 * A login with this request ID controls the server. No fault affects its connection, because `close-after-login` could
 * not be cleared otherwise. Any client may use it with the same password.
 */
export const CONTROL_LOGIN_ID = 20_563;

/** The start of an answer that refuses the request. */
export const CONTROL_REFUSED = 'No: ';

/** Writes the requests for `answerControl`. Names are quoted, because a Bedrock name can contain characters that end a word. */
export const controlRequest = {
  join: (player: string, uuid = ''): string =>
    `practice join ${JSON.stringify(player)} ${JSON.stringify(uuid)}`,
  leave: (player: string): string => `practice leave ${JSON.stringify(player)}`,
  players: (): string => 'practice players',
  inventory: (player: string): string => `practice inventory ${JSON.stringify(player)}`,
  /** @param times the number of commands or logins; undefined: until `clear`. */
  fault: (name: FaultName, times?: number): string =>
    times === undefined ? `practice fault ${name}` : `practice fault ${name} for ${times}`,
  faults: (): string => 'practice faults',
  clear: (): string => 'practice clear',
  /** @param step a duration by which time moves forward; '': only asks for the time. */
  clock: (step = ''): string => `practice clock ${JSON.stringify(step)}`,
} as const;

interface Controlled {
  readonly world: World;
  readonly faults: FaultSwitches;
  readonly clock: Clock;
}

const USAGE = `${CONTROL_REFUSED}practice join NAME [UUID] | leave NAME | players | inventory NAME | fault NAME [for N] | faults | clear | clock [DURATION]`;

/** Answers `practice …`, which is not a game command: it is not recorded, and no fault affects it. null: a game command. */
export function answerControl(
  text: string,
  { world, faults: switches, clock }: Controlled,
): string | Promise<string> | null {
  const line = new CommandLine(text.replace(/^\//, ''));
  if (line.word() !== 'practice') return null;
  switch (line.word()) {
    case 'join':
      return join(line.word(), line.word(), world);
    case 'leave':
      return leave(line.word(), world);
    case 'players':
      return JSON.stringify(players(world));
    case 'inventory':
      return inventory(line.word(), world);
    case 'fault':
      return fault(line, switches);
    case 'faults':
      return JSON.stringify(switches.names());
    case 'clear':
      switches.clear();
      return 'No fault is on';
    case 'clock':
      return practiceTime(line.word(), clock);
    default:
      return USAGE;
  }
}

/** What the practice clock shows, as `practice clock` answers it. */
export interface ShownTime {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Milliseconds ahead of real time. */
  readonly offsetMs: number;
}

export const shownTime = (clock: Clock): ShownTime => ({
  now: isoTime(clock.now()),
  offsetMs: clock.practice?.offsetMs ?? 0,
});

/** @param step '' moves nothing. Never rejects. */
async function practiceTime(step: string, clock: Clock): Promise<string> {
  const fault = clock.practice === undefined ? NO_PRACTICE_CLOCK : await moved(step, clock.practice);
  return fault === null ? JSON.stringify(shownTime(clock)) : `${CONTROL_REFUSED}${fault}`;
}

const NO_PRACTICE_CLOCK =
  'it runs on real time; only `teller run --practice-clock` and the loop have a practice clock';

/** @returns what was wrong, or null. */
async function moved(step: string, time: PracticeTime): Promise<string | null> {
  if (step === '') return null;
  const byMs = practiceStep(step);
  if (byMs === null) return `${JSON.stringify(step)} is not ${PRACTICE_STEP}`;
  try {
    return (await time.advance(byMs)) ? null : PRACTICE_TOO_FAR;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function join(name: string, writtenUuid: string, world: World): string {
  const uuid = writtenUuid === '' ? null : parsePlayerUuid(writtenUuid);
  if (!isPlayerName(name)) return `${CONTROL_REFUSED}${JSON.stringify(name)} is not a player name`;
  if (writtenUuid !== '' && uuid === null)
    return `${CONTROL_REFUSED}${JSON.stringify(writtenUuid)} is not a UUID, such as ${UUID_EXAMPLE}`;
  switch (world.join(name, uuid)) {
    case 'joined':
      return `${name} joined the game`;
    case 'already-here':
      return `${name} is already on the server`;
    case 'name-in-use':
      return `${CONTROL_REFUSED}another player is on the server as ${name}; make them leave, or join under a new name, first`;
  }
}

const UUID_EXAMPLE = '11111111-1111-4111-8111-111111111111';

/** A player who is online, as `practice players` lists them. */
export type ListedPlayer = {
  readonly player: string;
  readonly uuid: string;
};

const players = (world: World): ListedPlayer[] =>
  world.online().map((player) => ({ player: player.name, uuid: uuidOf(player) }));

const leave = (name: string, world: World): string =>
  world.leave(name) ? `${name} left the game` : `${CONTROL_REFUSED}${name} is not on the server`;

const inventory = (name: string, world: World): string =>
  world.findKnown(name) === null
    ? `${CONTROL_REFUSED}nobody named ${name} has been on the server`
    : JSON.stringify(world.inventory(name));

function fault(line: CommandLine, switches: FaultSwitches): string {
  const name = line.word();
  if (!isFaultName(name))
    return `${CONTROL_REFUSED}there is no fault ${name}; choose one of ${Object.keys(faults).join(', ')}`;
  if (line.atEnd) {
    switches.set(name);
    return `${name} is on: ${faults[name]}`;
  }
  const times = /^for ([1-9]\d{0,5})$/.exec(line.rest().trim())?.[1];
  if (times === undefined) return `${CONTROL_REFUSED}practice fault NAME [for N]`;
  switches.set(name, Number(times));
  return `${name} is on for ${times}: ${faults[name]}`;
}
