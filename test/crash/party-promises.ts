import type { GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { MINECRAFT, PARTY } from './sites.ts';

/** Each party is paid once to everyone whose votes made it, and nothing else is paid for parties (rule 14). */
export function partyFaults({ votes, ofParties }: LedgerContents): string[] {
  const earned = earnedBy(votes).toSorted();
  const granted = ofParties.map(described).toSorted();
  return [
    ...missingIn(granted, earned).map((text) => `“${text}” was earned and not granted`),
    ...missingIn(earned, granted).map((text) => `“${text}” was granted and not earned`),
    ...ofParties.flatMap(stateFaults),
  ];
}

/** The votes count in the order in which they were recorded. */
function earnedBy(votes: readonly VoteRow[]): string[] {
  const counted = votes.filter(({ site, decision }) => site === MINECRAFT.name && decision === 'rewarded');
  const parties = Math.floor(counted.length / PARTY.every);
  return Array.from({ length: parties }, (_, at) => at).flatMap((at) => {
    const voters = counted.slice(at * PARTY.every, (at + 1) * PARTY.every).map(({ recipient }) => recipient);
    return [...new Set(voters)].map((voter) => `say ${voter} made party ${at + 1}`);
  });
}

const described = ({ commands }: GrantRow): string =>
  commands.map(({ command }) => command.toLowerCase()).join(', ');

/** As often as they are missing. */
function missingIn(texts: readonly string[], wanted: readonly string[]): readonly string[] {
  const left = [...texts];
  return wanted.filter((text) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
