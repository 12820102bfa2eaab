import { damagesOf, wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { LedgerReader } from '../../src/ledger/ledger.ts';
import { commandFaults } from './command-promises.ts';
import type { Environment } from './environment.ts';
import { grantFaults } from './grant-promises.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { partyFaults } from './party-promises.ts';
import type { ReceivedCommands } from './received-commands.ts';
import { voteFaults } from './vote-promises.ts';
import { windowFaults } from './window-promises.ts';

/** The promises that were broken, in words. */
export async function brokenPromises(
  { votes, minecraft, receiver }: Environment,
  ran: ReceivedCommands,
  contents: LedgerContents,
  ledger: Pick<
    LedgerReader,
    'deepParts' | 'damagesIn' | 'wrongCounts' | 'wrongParties' | 'isNetworkCountWrong'
  >,
): Promise<string[]> {
  const wrong = await wrongCountsOf(ledger);
  return [
    ...(await damagesOf(ledger)),
    ...wrong.recipients.map((id) => `the counts of recipient ${id} are not those of the votes`),
    ...wrong.parties.map((id) => `the count of party ${id} is not that of the votes`),
    ...(wrong.network ? ['the counts of the network are not those of the votes'] : []),
    ...voteFaults(votes, contents.votes),
    ...windowFaults(contents.votes),
    ...grantFaults(contents),
    ...partyFaults(contents),
    ...commandFaults(contents, 'main', ran),
    ...commandFaults(contents, 'city', receiver.received),
    ...minecraft.inventoryFaults(ran),
    ...receiver.faults,
  ];
}
