import { damagesOf, wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { LedgerReader } from '../../src/ledger/ledger.ts';
import { accountFaults } from './account-promises.ts';
import { announcementFaults } from './announcement-promises.ts';
import { commandFaults } from './command-promises.ts';
import type { Environment } from './environment.ts';
import { grantFaults } from './grant-promises.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { newSiteFaults } from './new-site-promises.ts';
import { crowdFaults, partyFaults } from './party-promises.ts';
import { pauseFaults } from './pause-promises.ts';
import { poolFaults } from './pool-promises.ts';
import { termFaults } from './term-promises.ts';
import { topFaults } from './top-promises.ts';
import { type SettledDay, settledDays } from './tops.ts';
import { voteFaults } from './vote-promises.ts';
import { windowFaults } from './window-promises.ts';

type CheckedLedger = Pick<
  LedgerReader,
  'deepParts' | 'damagesIn' | 'wrongCounts' | 'wrongParties' | 'isNetworkCountWrong' | 'settledPlaces'
>;

/**
 * The promises that were broken, in words, each after the name of its kind.
 *
 * @param seen the places of tops that were read during the run.
 */
export async function brokenPromises(
  environment: Environment,
  contents: LedgerContents,
  ledger: CheckedLedger,
  seen: readonly SettledDay[],
): Promise<string[]> {
  const { startedAt, votes, main, sky, realm, receiver, accounts, operator, tops } = environment;
  const ran = { main: main.received(), sky: sky.received(), realm: realm.received() };
  const { settled, missing } = await settledDays(ledger, tops, startedAt);
  const faults: Readonly<Record<string, readonly string[]>> = {
    ledger: [...(await damagesOf(ledger)), ...(await countFaults(ledger))],
    votes: voteFaults(votes, contents.votes),
    windows: windowFaults(contents.votes),
    grants: grantFaults(contents),
    parties: [...partyFaults(contents), ...crowdFaults(contents, sky.attendance)],
    tops: topFaults(contents, settled, missing, seen),
    commands: [
      ...commandFaults(contents, 'main', ran.main),
      ...commandFaults(contents, 'sky', ran.sky),
      ...commandFaults(contents, 'realm', ran.realm),
      ...commandFaults(contents, 'city', receiver.received),
      ...main.inventoryFaults(ran.main),
      ...sky.inventoryFaults(ran.sky),
      ...receiver.faults,
    ],
    'where online': poolFaults(contents, ran),
    terms: termFaults(contents, main.recorded()),
    announcements: announcementFaults(contents, main.recorded()),
    players: accountFaults(contents, votes, accounts),
    'new sites': newSiteFaults(contents),
    pauses: pauseFaults(operator.paused, sky.recorded()),
  };
  return Object.entries(faults).flatMap(([kind, found]) => found.map((fault) => `${kind}: ${fault}`));
}

async function countFaults(ledger: CheckedLedger): Promise<string[]> {
  const wrong = await wrongCountsOf(ledger);
  return [
    ...wrong.recipients.map((id) => `the counts of recipient ${id} are not those of the votes`),
    ...wrong.parties.map((id) => `the count of party ${id} is not that of the votes`),
    ...(wrong.network ? ['the counts of the network are not those of the votes'] : []),
  ];
}
