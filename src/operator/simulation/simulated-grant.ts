import { closeCommand } from '../../core/template.ts';
import type { GrantRow } from '../../ledger/ledger.ts';

export interface SimulatedGrant {
  readonly reward: string;
  readonly occasion: string;
  readonly server: string;
  /** As they are sent if they run at once; `{uuid}`, which the game server knows, stays. */
  readonly commands: readonly string[];
}

/** @param at when it is paid. */
export const simulatedGrant = (grant: GrantRow, at: number): SimulatedGrant => {
  const { reward, occasion, server, commands, filled } = grant;
  return {
    ...{ reward, occasion, server },
    commands: commands.map(({ command }) => asSent(command, filled.nextVote, at)),
  };
};

/** The ledger shows {nextVote} as it is until the command is sent. */
const asSent = (command: string, nextAt: number | undefined, now: number): string =>
  closeCommand(nextAt === undefined ? command : command.replaceAll('{nextVote}', `{nextVote ${nextAt}}`), {
    ...{ player: null, uuid: null, now },
  });
