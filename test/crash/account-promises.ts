import type { GrantRow } from '../../src/ledger/ledger.ts';
import type { Account, Accounts } from './accounts.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents, voterOf } from './ledger-contents.ts';
import { ACCOUNTS, GIFT } from './sites.ts';
import type { SentVote } from './votes.ts';

/** Every player is given as much as their votes earned, whatever their names were then and are now; strangers nothing. */
export function accountFaults(
  contents: LedgerContents,
  sent: readonly SentVote[],
  accounts: Pick<Accounts, 'casters' | 'strangers' | 'giftsOf'>,
): string[] {
  const { casters, strangers } = accounts;
  const gifts = grantsOf(contents, GIFT.name);
  const casterOf = castersByRow(contents, sent, casters);
  const owed = new Map<Account, GrantRow[]>([...new Set(casters.values())].map((each) => [each, []]));
  for (const gift of gifts) owed.get(casterOf.get(gift.voteId ?? 0) as Account)?.push(gift);
  return [
    ...gifts.flatMap(stateFaults),
    ...strangers
      .filter((stranger) => accounts.giftsOf(stranger) > 0)
      .map(({ name }) => `the stranger who took the name ${name} was given a gift`),
    ...[...owed].flatMap(([account, own]) => giftFaults(account.name, accounts.giftsOf(account), own)),
    ...recipientFaults(gifts, casterOf),
  ];
}

function giftFaults(name: string, gifts: number, owed: readonly GrantRow[]): string[] {
  const delivered = owed.filter(({ state }) => state === 'delivered').length;
  const held = owed.filter(({ state }) => state === 'held').length;
  if (gifts >= delivered && gifts <= delivered + held) return [];
  return [`${name} was given ${gifts}, and is owed ${delivered} as delivered and ${held} as held`];
}

/** At the end everyone was seen, so all votes of a player are one history, and no one else's. */
function recipientFaults(
  gifts: readonly GrantRow[],
  casterOf: ReadonlyMap<number, Account>,
): readonly string[] {
  const histories = new Map<Account, Set<string>>();
  const owners = new Map<string, Set<Account>>();
  for (const { voteId, recipient, id } of gifts) {
    const account = casterOf.get(voteId ?? 0);
    if (account === undefined) return [`grant ${id} of ${GIFT.name} is for a vote that was never cast`];
    histories.set(account, (histories.get(account) ?? new Set()).add(recipient));
    owners.set(recipient, (owners.get(recipient) ?? new Set()).add(account));
  }
  return [
    ...[...histories]
      .filter(([, recipients]) => recipients.size > 1)
      .map(([{ name }, recipients]) => `${name} has the histories ${[...recipients].join(', ')}`),
    ...[...owners]
      .filter(([, accounts]) => accounts.size > 1)
      .map(([recipient, { size }]) => `the history of ${recipient} is that of ${size} players`),
  ];
}

function castersByRow(
  { votes }: LedgerContents,
  sent: readonly SentVote[],
  casters: ReadonlyMap<string, Account>,
): ReadonlyMap<number, Account> {
  const byVote = new Map(
    sent
      .filter(({ site }) => site === ACCOUNTS)
      .map((vote) => [`${vote.voter.toLowerCase()} ${vote.votedAt}`, casters.get(vote.id)]),
  );
  return new Map(
    votes
      .filter(({ service }) => service === ACCOUNTS.name)
      .flatMap((row) => {
        const caster = byVote.get(`${voterOf(row)} ${row.claimedAt}`);
        return caster === undefined ? [] : [[row.id, caster] as const];
      }),
  );
}
