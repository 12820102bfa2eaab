import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import type { RecordedCommand } from './minecraft-server.ts';
import { KIT, KIT_EXPIRES_MS } from './sites.ts';

/** Between the decision that a grant has not expired and its command, the process may be slow. */
const SLOW_MS = 2_000;

/** What is cancelled was never sent: grants that have expired. */
export function termFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const kits = grantsOf(contents, KIT.name);
  return [...kits.flatMap((grant) => cancelledFaults(grant, recorded)), ...kits.flatMap(expiryFaults)];
}

/** Each has a text of its own. */
function cancelledFaults(grant: GrantRow, recorded: readonly RecordedCommand[]): string[] {
  if (grant.state !== 'cancelled') return stateFaults(grant);
  const texts = new Set(grant.commands.map(({ command }) => command.toLowerCase()));
  return recorded
    .filter(({ command }) => texts.has(command.toLowerCase()))
    .map(({ command }) => `grant ${grant.id} is cancelled, and “${command}” was received`);
}

function expiryFaults({ id, state, reason, createdAt, changedAt, commands }: GrantRow): string[] {
  const expiresAt = createdAt + KIT_EXPIRES_MS;
  if (state === 'cancelled')
    return reason?.code === 'expired' && changedAt >= expiresAt ? [] : [`grant ${id} expired too early`];
  const startedAt = commands[0]?.startedAt ?? 0;
  return startedAt <= expiresAt + SLOW_MS
    ? []
    : [`grant ${id} was paid ${startedAt - expiresAt} ms too late`];
}
