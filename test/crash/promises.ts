import type { LedgerReader } from '../../src/ledger/ledger.ts';
import { damagesOf } from '../../src/ledger/deep-check.ts';
import { commandFaults } from './command-promises.ts';
import type { Environment } from './environment.ts';
import { grantFaults } from './grant-promises.ts';
import type { LedgerContents } from './ledger-contents.ts';
import type { ReceivedCommands } from './received-commands.ts';
import { voteFaults } from './vote-promises.ts';
import { windowFaults } from './window-promises.ts';

/** The promises that were broken, in words. */
export async function brokenPromises(
  { votes, minecraft, receiver }: Environment,
  ran: ReceivedCommands,
  contents: LedgerContents,
  ledger: Pick<LedgerReader, 'deepParts' | 'damagesIn'>,
): Promise<string[]> {
  return [
    ...(await damagesOf(ledger)),
    ...voteFaults(votes, contents.votes),
    ...windowFaults(contents.votes),
    ...grantFaults(contents),
    ...commandFaults(contents, 'main', ran),
    ...commandFaults(contents, 'city', receiver.received),
    ...minecraft.inventoryFaults(ran),
    ...receiver.faults,
  ];
}
