/** Every promise that a run checks. To add one, write a function that returns what broke it in words, and add it here. */
import { witness } from '../kit/witness.ts';
import type { Environment } from './environment.ts';
import { announcementFaults, grantFaults, poolFaults, termFaults } from './grant-promises.ts';
import { type LedgerContents, type SettledDay, settledDays } from './ledger-contents.ts';
import { accountFaults, commandFaults, pauseFaults } from './paid-promises.ts';
import { crowdFaults, partyFaults, topFaults } from './together-promises.ts';
import { newSiteFaults, voteFaults, windowFaults } from './vote-promises.ts';

/**
 * The promises that were broken, in words, each after the name of its kind.
 *
 * @param seen the places of tops that were read during the run.
 */
export async function brokenPromises(
  { place, startedAt, tops, votes, servers, accounts, operator }: Environment,
  contents: LedgerContents,
  seen: readonly SettledDay[],
): Promise<string[]> {
  const { main, sky, city } = servers;
  const { settled, missing } = await settledDays(place, tops, startedAt);
  const faults: Readonly<Record<string, readonly string[]>> = {
    ledger: (await witness(place)).faults,
    votes: voteFaults(votes, contents.votes),
    windows: windowFaults(contents.votes),
    grants: grantFaults(contents),
    parties: [...partyFaults(contents), ...crowdFaults(contents, sky)],
    tops: topFaults(contents, settled, missing, seen),
    commands: [
      ...Object.entries(servers).flatMap(([server, { recorded }]) =>
        commandFaults(contents, server, recorded),
      ),
      ...city.faults,
    ],
    'where online': poolFaults(contents, servers),
    terms: termFaults(contents, main.recorded),
    announcements: announcementFaults(contents, main.recorded),
    players: accountFaults(contents, votes, accounts),
    'new sites': newSiteFaults(contents),
    pauses: pauseFaults(operator.paused, sky.recorded),
  };
  return Object.entries(faults).flatMap(([kind, found]) => found.map((fault) => `${kind}: ${fault}`));
}
