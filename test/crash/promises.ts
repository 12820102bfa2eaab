import type { LedgerReader } from '../../src/ledger/ledger.ts';
import { commandFaults } from './command-promises.ts';
import { grantFaults } from './grant-promises.ts';
import type { HeardCommands } from './heard.ts';
import type { Kept } from './kept.ts';
import { voteFaults } from './vote-promises.ts';
import { windowFaults } from './window-promises.ts';
import type { World } from './world.ts';

/** What must not be, in words; empty where every promise was kept. */
export async function brokenPromises(
  { votes, minecraft, receiver }: World,
  ran: HeardCommands,
  kept: Kept,
  ledger: Pick<LedgerReader, 'damages'>,
): Promise<string[]> {
  return [
    ...(await ledger.damages()),
    ...voteFaults(votes, kept.votes),
    ...windowFaults(kept.votes),
    ...grantFaults(kept),
    ...commandFaults(kept, 'main', ran),
    ...commandFaults(kept, 'city', receiver.heard),
    ...minecraft.miscounted(ran),
    ...receiver.faults,
  ];
}
