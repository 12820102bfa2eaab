import { type Config, practiceNames } from '../../config/config.ts';
import { noReplyCode, type Outcome, replyOf } from '../../core/outcome.ts';
import { takesCommands } from '../../delivery/kinds.ts';
import type { ServedGameServer } from '../../delivery/served-game-server.ts';
import { endedText } from '../trace/grant-lines.ts';
import { commandReasonSentence } from '../trace/grant-reasons.ts';

/** A game server on which a command can be tested. */
export interface CommandServer {
  readonly server: ServedGameServer;
  /** Whether players see what the command does. */
  readonly isReal: boolean;
}

export function commandServers(
  config: Config,
  served: readonly ServedGameServer[],
): readonly CommandServer[] {
  const practice = new Set(practiceNames(config));
  return served
    .filter(({ name }) => config.gameServers.has(name) && takesCommands(config.gameServers.get(name)?.kind))
    .map((server) => ({ server, isReal: !practice.has(server.name) }));
}

/** The real game servers that votes are paid on; empty if votes are not paid by this Teller. */
export const payingServers = (config: Config, served: readonly ServedGameServer[]): readonly string[] =>
  config.pay.mode === 'shadow'
    ? []
    : commandServers(config, served).flatMap(({ server, isReal }) => (isReal ? [server.name] : []));

/** A command that was tested, and how it ended. */
export interface RanCommand {
  readonly server: string;
  readonly command: string;
  readonly outcome: Outcome['kind'];
  /** `outcome` in words, with the reason if there is no reply. */
  readonly sentence: string;
  /** Why there is no reply; null if there is one. */
  readonly code: string | null;
  readonly reply: string | null;
}

export async function runTestCommand(server: ServedGameServer, command: string): Promise<RanCommand> {
  const outcome = await server.run(command);
  const code = noReplyCode(outcome);
  const why = code === null ? '' : `: ${commandReasonSentence({ code }, outcome.kind)}`;
  return {
    ...{ server: server.name, command, code },
    outcome: outcome.kind,
    sentence: `${endedText(outcome.kind, replyOf(outcome))}${why}`,
    reply: replyOf(outcome),
  };
}
