import { CommandLine } from './command-line.ts';
import { type FaultSwitches, faults, isFaultName } from './faults.ts';
import { isPlayerName, type World } from './world.ts';

/**
 * A login under this request id is one of somebody at the switches: no fault touches that connection, or
 * `close-after-login` could never be cleared from outside. Any client may use it; the password is the same.
 */
export const STEERING_LOGIN_ID = 20_563;

/** What an answer begins with that says no. */
export const STEERING_NO = 'No: ';

interface Steered {
  readonly world: World;
  readonly faults: FaultSwitches;
}

const USAGE = `${STEERING_NO}practice join NAME | leave NAME | players | inventory NAME | fault NAME [for N] | faults | clear`;

/** Answers `practice …`, which is no command of the game: it is neither recorded nor touched by faults. */
export function steer(text: string, steered: Steered): string | null {
  const line = new CommandLine(text.replace(/^\//, ''));
  if (line.word() !== 'practice') return null;
  switch (line.word()) {
    case 'join':
      return join(line.word(), steered.world);
    case 'leave':
      return leave(line.word(), steered.world);
    case 'players':
      return JSON.stringify(steered.world.online().map(({ name }) => name));
    case 'inventory':
      return inventory(line.word(), steered.world);
    case 'fault':
      return fault(line, steered.faults);
    case 'faults':
      return JSON.stringify(steered.faults.names());
    case 'clear':
      steered.faults.clear();
      return 'No fault is on';
    default:
      return USAGE;
  }
}

function join(name: string, world: World): string {
  if (!isPlayerName(name)) return `${STEERING_NO}${JSON.stringify(name)} is no player name`;
  return world.join(name) ? `${name} joined the game` : `${name} is on the server already`;
}

const leave = (name: string, world: World): string =>
  world.leave(name) ? `${name} left the game` : `${STEERING_NO}${name} is not on the server`;

const inventory = (name: string, world: World): string =>
  world.findKnown(name) === null
    ? `${STEERING_NO}${name} has never been on the server`
    : JSON.stringify(world.inventory(name));

function fault(line: CommandLine, switches: FaultSwitches): string {
  const name = line.word();
  if (!isFaultName(name)) return `${STEERING_NO}there is no fault ${name}: ${Object.keys(faults).join(', ')}`;
  if (line.atEnd) {
    switches.set(name);
    return `${name} is on: ${faults[name]}`;
  }
  const times = /^for ([1-9]\d{0,5})$/.exec(line.rest().trim())?.[1];
  if (times === undefined) return `${STEERING_NO}practice fault NAME [for N]`;
  switches.set(name, Number(times));
  return `${name} is on for ${times}: ${faults[name]}`;
}
