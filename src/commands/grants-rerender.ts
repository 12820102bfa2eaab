import type { Config } from '../config/config.ts';
import { openCommands } from '../core/decide.ts';
import type { PlayerName } from '../core/player-name.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import { closeCommand, needs } from '../core/template.ts';
import { COMMAND_BYTES_MAX } from '../core/template-fault.ts';
import { rulesOf } from '../intake/rules.ts';
import type { GrantRow, LedgerReader } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';

/** A grant's commands as the config has them now. */
export type Rerendered =
  | {
      readonly kind: 'rendered';
      readonly grant: GrantRow;
      /**
       * By position, with the player still open; those that ran already stay as they were. Where there are fewer than
       * were owed, the rest is dropped.
       */
      readonly texts: readonly string[];
    }
  | { readonly kind: 'moved-on'; readonly state: GrantState | 'missing' };

/**
 * These grants, rendered again, or the state that one is in instead of being stuck. Nothing is half done: where one cannot be, none is.
 * @throws Problem `rerender-impossible`
 */
export async function rerenderAll(
  ledger: LedgerReader,
  config: Config,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Rerendered>> {
  const rerendered = new Map<number, Rerendered>();
  const faults: string[] = [];
  for (const id of ids) {
    const [grant] = await ledger.grants({ id, limit: 1 });
    if (grant === undefined || (grant.state !== 'held' && grant.state !== 'refused')) {
      rerendered.set(id, { kind: 'moved-on', state: grant?.state ?? 'missing' });
      continue;
    }
    const texts = await rerender(ledger, config, grant);
    if (typeof texts === 'string') faults.push(`grant ${id}: ${texts}`);
    else rerendered.set(id, { kind: 'rendered', grant, texts });
  }
  if (faults.length > 0)
    throw new Problem('rerender-impossible', `${faults.join('; ')}; nothing was changed`);
  return rerendered;
}

/** The texts, or why there are none. */
async function rerender(
  ledger: LedgerReader,
  config: Config,
  grant: GrantRow,
): Promise<readonly string[] | string> {
  const reward = config.rewards.find(({ name }) => name === grant.reward);
  if (reward === undefined) return `the config has no reward ${grant.reward} any more`;
  const owed = grant.commands.length;
  if (reward.commands.length > owed) {
    return `the reward ${grant.reward} has ${reward.commands.length} commands in the config now, where ${owed} were owed`;
  }
  const [vote] = await ledger.votes({ id: grant.voteId, limit: 1 });
  if (vote === undefined) return `vote ${grant.voteId} is not in the ledger`;
  const [userId, absent] =
    vote.player === null ? [vote.recipient, 'player' as const] : [null, 'userId' as const];
  const absentAlso = absent === 'player' ? 'uuid' : absent;
  if (reward.commands.some((command) => needs(command, absent) || needs(command, absentAlso))) {
    return `the reward ${grant.reward} uses {${absent}} in the config now, and vote ${vote.id} names none`;
  }
  return openCommands(reward, { ...vote, userId }, rulesOf(config));
}

/** Old and new, before anything is changed. */
export function printRerendered(
  terminal: Terminal,
  all: ReadonlyMap<number, Rerendered>,
  /** Who is paid instead of the grant's player. */
  to: PlayerName | null,
): void {
  for (const rerendered of all.values()) {
    if (rerendered.kind === 'moved-on') continue;
    const { grant, texts } = rerendered;
    terminal.err(`grant ${grant.id}: ${grant.reward} on ${grant.server}`);
    grant.commands.forEach(({ command, outcome }, position) => {
      const text = texts[position] ?? null;
      const player = to ?? grant.player;
      const renewed = player === null || text === null ? text : closeCommand(text, player);
      for (const [what, line] of compared(command, renewed, outcome === 'delivered')) {
        terminal.err(`  ${what}  ${printable(line, COMMAND_BYTES_MAX)}`);
      }
    });
  }
}

/** Whether commands would be dropped that have not run. */
export const dropsAny = (all: ReadonlyMap<number, Rerendered>): boolean =>
  [...all.values()].some(
    (rerendered) =>
      rerendered.kind === 'rendered' &&
      rerendered.grant.commands.slice(rerendered.texts.length).some(({ outcome }) => outcome !== 'delivered'),
  );

function compared(old: string, renewed: string | null, ran: boolean): readonly (readonly [string, string])[] {
  if (ran) return [['ran ', old]];
  if (renewed === null) return [['drop', old]];
  return old === renewed
    ? [['same', old]]
    : [
        ['old ', old],
        ['new ', renewed],
      ];
}
