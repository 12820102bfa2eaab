import type { RecordedCommand } from './minecraft-server.ts';
import type { PausedTime } from './operator.ts';

/** A running Teller notices a pause within a second. */
const NOTICED_MS = 1_500;

/** Nothing is sent to a game server that is paused; questions are. */
export const pauseFaults = (paused: readonly PausedTime[], recorded: readonly RecordedCommand[]): string[] =>
  paused.flatMap(({ from, until }) =>
    recorded
      .filter(({ at, command }) => command.startsWith('give ') && at > from + NOTICED_MS && at < until)
      .map(({ at, command }) => `“${command}” was sent ${at - from} ms after a pause had begun`),
  );
