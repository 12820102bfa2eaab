import { createHash } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import type { PlayerName } from '../../core/player-name.ts';
import { closeCommand } from '../../core/template.ts';
import type { CommandRow, GrantRow, Ledger } from '../../ledger/ledger.ts';
import { grantActions } from './actions.ts';
import {
  type GrantChangePlan,
  type GrantChangeRefusal,
  type GrantChangeRequest,
  planGrantChange,
} from './change.ts';
import { commandChanges } from './rerender.ts';

/** What a change would do with a command. */
export type CommandFate =
  /** It was delivered before. */
  | 'ran'
  | 'runs'
  /** The operator says that it ran. */
  | 'counts-as-run'
  /** Another command runs instead: the next one. */
  | 'replaced'
  /** The reward no longer has it. */
  | 'dropped'
  | 'does-not-run';

export interface FatedCommand {
  readonly fate: CommandFate;
  readonly command: string;
}

/** A grant that would be changed, with all of its commands. */
export interface PreparedGrant {
  readonly grant: GrantRow;
  readonly commands: readonly FatedCommand[];
  /** Differs if other commands would run, or for another player. */
  readonly digest: string;
}

/** A change as it is shown before it is made. */
export interface PreparedChange {
  readonly kind: 'prepared';
  readonly plan: GrantChangePlan;
  readonly grants: readonly PreparedGrant[];
  /** Those that cannot be changed any more: gone, in another state, or changed since they were shown. */
  readonly movedOn: readonly number[];
}

/** Changes nothing. */
export async function prepareChange(
  ledger: Ledger,
  config: Config,
  request: GrantChangeRequest,
): Promise<PreparedChange | GrantChangeRefusal> {
  const plan = await planGrantChange(ledger, config, request);
  if (plan.kind !== 'planned') return plan;
  const rows = await ledger.grants({ ids: plan.ids, limit: plan.ids.length });
  const byId = new Map(rows.map((grant) => [grant.id, grant]));
  const changeable = plan.ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((grant) => isChangeable(grant, plan));
  const ids = new Set(changeable.map(({ id }) => id));
  const grants = changeable.map((grant) => preparedGrant(grant, plan));
  return { kind: 'prepared', plan, grants, movedOn: plan.ids.filter((id) => !ids.has(id)) };
}

function preparedGrant(grant: GrantRow, plan: GrantChangePlan): PreparedGrant {
  const commands = fatesOf(grant, plan);
  const shown = JSON.stringify([plan.action, plan.to, commands]);
  return { grant, commands, digest: createHash('sha256').update(shown).digest('base64url').slice(0, 16) };
}

function isChangeable({ id, state, changedAt }: GrantRow, { action, to, shown }: GrantChangePlan): boolean {
  const isAllowed = grantActions[action].from.includes(state) || (to !== null && state === 'waiting');
  return isAllowed && (shown.get(id) ?? changedAt) === changedAt;
}

function fatesOf(grant: GrantRow, { action, to, rerendered }: GrantChangePlan): readonly FatedCommand[] {
  const anew = rerendered?.get(grant.id);
  if (anew?.kind === 'rendered')
    return commandChanges(anew, to).map(({ kind, command }) => ({ fate: CHANGES[kind], command }));
  const stopped = grant.commands.findIndex(({ outcome }) => outcome !== 'delivered');
  return grant.commands.map((row, at) => {
    if (row.outcome === 'delivered') return { fate: 'ran', command: row.command };
    if (action === 'pay') return { fate: 'runs', command: commandFor(row, to) };
    if (action === 'ran') return { fate: at === stopped ? 'counts-as-run' : 'runs', command: row.command };
    return { fate: 'does-not-run', command: row.command };
  });
}

const CHANGES = { ran: 'ran', same: 'runs', new: 'runs', old: 'replaced', drop: 'dropped' } as const;

const commandFor = ({ command, text }: CommandRow, to: PlayerName | null): string =>
  to === null ? command : closeCommand(text, { player: to, uuid: null, now: null });
