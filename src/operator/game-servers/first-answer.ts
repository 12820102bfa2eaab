import { type Clock, pause } from '../../core/clock.ts';
import type { JoinReports } from '../../delivery/game-server.ts';
import type { ServedGameServer } from '../../delivery/served-game-server.ts';
import type { GameServerWatch } from '../now/game-server-watch.ts';
import { type Connection, connectionOf } from '../now/game-servers.ts';

/** What a game server has answered that was just written into the config. */
export interface FirstAnswer {
  readonly connection: Connection;
  /** null: the config does not ask for it, or nothing is known yet. */
  readonly joins: JoinReports | null;
}

export interface FirstAnswerParts {
  readonly watch: GameServerWatch;
  readonly clock: Clock;
  /** Whether the config asks for reports of joins. */
  readonly wantsJoins: boolean;
  /** How long to wait for its answers. */
  readonly patienceMs: number;
}

/** Asks a game server, and waits until it has answered or the time is over. */
export async function firstAnswer(server: ServedGameServer, parts: FirstAnswerParts): Promise<FirstAnswer> {
  const { watch, clock, wantsJoins, patienceMs } = parts;
  const answered = [watch.ask(server), ...(wantsJoins ? [joinsKnown(server, parts)] : [])];
  await Promise.race([Promise.all(answered), pause(clock, patienceMs)]);
  return { connection: connectionOf(server, watch.of(server)), joins: server.joinReports };
}

const LOOK_EVERY_MS = 50;

async function joinsKnown(server: ServedGameServer, { clock, patienceMs }: FirstAnswerParts): Promise<void> {
  for (let waitedMs = 0; server.joinReports === null && waitedMs < patienceMs; waitedMs += LOOK_EVERY_MS)
    await pause(clock, LOOK_EVERY_MS);
}
