import { answer, scripted } from '../support/rcon.ts';
import type { Shown } from './oracle/written.ts';

/** A game server over RCON that lists the players that the test says, with their UUIDs, and runs every command. */
export interface ShowingServer {
  /** Its entry in `gameServers`. */
  readonly gameServer: object;
  /** What it ran, without questions. */
  readonly commands: readonly string[];
  /** From now on it lists these. */
  show(players: readonly Shown[]): void;
  /** How often it has been asked for its players, with UUIDs, since it lists these. */
  asked(): number;
}

const ASKS_WHO = /^\/?(?:minecraft:)?list(?<uuids> uuids)?$/;

export async function showingServer(): Promise<ShowingServer> {
  const commands: string[] = [];
  let players: readonly Shown[] = [];
  let asked = 0;
  const listed = (withUuids: boolean): string => {
    if (withUuids) asked += 1;
    const entries = players.map(({ name, uuid }) => (withUuids ? `${name} (${uuid})` : name));
    return `There are ${entries.length} of a max of 20 players online: ${entries.join(', ')}`;
  };
  const { host, port } = await scripted(({ id, type, body }, socket) => {
    if (type === 3) return answer(socket, id, '', 2);
    const question = ASKS_WHO.exec(body);
    if (question) return answer(socket, id, listed(question.groups?.uuids !== undefined));
    if (type === 2) commands.push(body);
    answer(socket, id, 'done');
  });
  return {
    gameServer: {
      ...{ kind: 'rcon', host, port, password: 'of this test' },
      ...{ commandPause: '0s', joinDelay: '0s', presenceInterval: '1s' },
    },
    commands,
    show: (next) => {
      players = next;
      asked = 0;
    },
    asked: () => asked,
  };
}
