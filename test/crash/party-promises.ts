import type { GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import { stateFaults } from './grant-promises.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { CROWD, MINECRAFT, PARTY } from './sites.ts';

/** Between the game server's answer who is online and the grants, the process may be slow. */
const SLOW_MS = 2_000;
/** After that, the voters are paid for a party for players online. */
const ONLINE_WAIT_MS = 10 * 60_000;

/** Each party is paid once to everyone whose votes made it, and nothing else is paid for parties (rule 14). */
export function partyFaults({ votes, ofParties }: LedgerContents): string[] {
  const own = ofParties.filter(({ reward }) => reward === PARTY.name);
  const earned = earnedBy(votes).toSorted();
  const granted = own.map(described).toSorted();
  return [
    ...missingIn(granted, earned).map((text) => `“${text}” was earned and not granted`),
    ...missingIn(earned, granted).map((text) => `“${text}” was granted and not earned`),
    ...own.flatMap(stateFaults),
  ];
}

/**
 * Each party for players online is paid, once to each player, and only to those who were on its game server when it was
 * fixed; after ten minutes in which nobody was, to those whose votes made it.
 */
export function crowdFaults({ votes, ofParties }: LedgerContents, attendance: Attendance): string[] {
  const grants = ofParties.filter(({ reward }) => reward === CROWD.name);
  const parties = partiesOf(votes, CROWD.every);
  const recipients = parties.map((_, at) =>
    grants.filter(({ occasion }) => occasion === occasionOf(at)).map(({ recipient }) => recipient),
  );
  const paid = recipients.flat().length;
  return [
    ...(paid === grants.length
      ? []
      : [`${grants.length - paid} grants are for parties that were not reached`]),
    ...recipients.flatMap((own, at) => [
      ...(own.length > 0 ? [] : [`${occasionOf(at)} was paid to nobody`]),
      ...(new Set(own).size === own.length
        ? []
        : [`${occasionOf(at)} was paid twice to one of ${own.join(', ')}`]),
    ]),
    ...grants
      .filter((grant) => !wasThere(grant, attendance) && !isLateFor(grant, parties))
      .map(({ id, recipient, occasion }) => `${recipient} of grant ${id} was not there at ${occasion}`),
    ...grants.flatMap(stateFaults),
  ];
}

const wasThere = ({ recipient, createdAt }: GrantRow, attendance: Attendance): boolean =>
  attendance.wasThere(recipient, createdAt - SLOW_MS, createdAt);

/** Whether nobody was there for so long, and the player's vote made the party. */
function isLateFor({ occasion, recipient, createdAt }: GrantRow, parties: readonly (readonly VoteRow[])[]) {
  const made = parties.find((_, at) => occasionOf(at) === occasion) ?? [];
  const isVoter = made.some((vote) => vote.recipient === recipient);
  return isVoter && createdAt - (made.at(-1)?.receivedAt ?? createdAt) >= ONLINE_WAIT_MS;
}

const occasionOf = (at: number): string => `party ${at + 1}`;

function earnedBy(votes: readonly VoteRow[]): string[] {
  return partiesOf(votes, PARTY.every).flatMap((made, at) =>
    [...new Set(made.map(({ recipient }) => recipient))].map(
      (voter) => `say ${voter} made ${occasionOf(at)}`,
    ),
  );
}

/** The votes that made each party. They count in the order in which they were recorded. */
function partiesOf(votes: readonly VoteRow[], every: number): readonly (readonly VoteRow[])[] {
  const counted = votes.filter(({ site, decision }) => site === MINECRAFT.name && decision === 'rewarded');
  const parties = Math.floor(counted.length / every);
  return Array.from({ length: parties }, (_, at) => counted.slice(at * every, (at + 1) * every));
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
