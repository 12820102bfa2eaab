import type { GrantRow } from '../../src/ledger/ledger.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { VAULT } from './sites.ts';

/**
 * On the game server with `proof`, which runs on whatever happens to Teller: every command runs exactly once, and nothing
 * is held. All commands differ.
 */
export function vaultFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const ran = new Map<string, number>();
  for (const each of recorded.filter(hasRun)) {
    const text = each.command.toLowerCase();
    ran.set(text, (ran.get(text) ?? 0) + 1);
  }
  return grantsOf(contents, VAULT.name).flatMap((grant) => [
    ...(grant.state === 'delivered' ? [] : [`grant ${grant.id} of ${VAULT.name} is ${described(grant)}`]),
    ...grant.commands.flatMap(({ command }) => {
      const times = ran.get(command.toLowerCase()) ?? 0;
      return times === 1 ? [] : [`“${command}” of grant ${grant.id} ran ${times} times`];
    }),
  ]);
}

const described = ({ state, reason }: GrantRow): string =>
  `${state}${reason === null ? '' : ` (${reason.code})`}`;
