import { type Config, hasReal } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { withLedgerIfThere } from '../operator/ledger-if-there.ts';
import { type EndedPractice, endedText, voidPracticeVotes } from '../operator/practice-votes.ts';
import type { ProcessReload } from '../operator/reload.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';

/**
 * Call this when a real game server was written into a config. It voids the practice votes if that is the first one and every
 * running process has it: until then practice goes on, and `check` says later what is left to do.
 */
export function endPractice(
  before: Config,
  processes: readonly ProcessReload[],
  { terminal, clock }: { readonly terminal: Terminal; readonly clock: Clock },
): Promise<EndedPractice | null> {
  if (hasReal(before) || processes.some(({ reply }) => reply.kind !== 'reloaded'))
    return Promise.resolve(null);
  const open = (file: string) => openLedger(file, 'write', { clock });
  return withLedgerIfThere(before.ledger, open, async (ledger) => {
    if (ledger === null) return null;
    const practice = await voidPracticeVotes(ledger, accountName(), clock.now());
    const said = endedText(practice);
    if (said !== null) terminal.err(said);
    return practice;
  });
}
