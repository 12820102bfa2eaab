import type { GrantRow, LedgerReader, VoteRow } from '../../src/ledger/ledger.ts';

/** The votes and grants in the ledger at the end. */
export interface LedgerContents {
  /** In the order in which they were recorded, which is the order of their IDs. */
  readonly votes: readonly VoteRow[];
  /** By the ID of the vote. */
  readonly grants: ReadonlyMap<number, readonly GrantRow[]>;
  /** Those of parties. */
  readonly ofParties: readonly GrantRow[];
  /** Those of places in tops. */
  readonly ofTops: readonly GrantRow[];
}

export const allGrantsIn = ({ grants, ofParties, ofTops }: LedgerContents): readonly GrantRow[] => [
  ...[...grants.values()].flat(),
  ...ofParties,
  ...ofTops,
];

/** Those of one reward, in the order in which they were made. */
export const grantsOf = ({ grants }: LedgerContents, reward: string): readonly GrantRow[] =>
  [...grants.values()]
    .flat()
    .filter((grant) => grant.reward === reward)
    .sort((one, other) => one.id - other.id);

/** Whom a vote names, in lower case. Its recipient may have been joined to another name since. */
export const voterOf = ({ player, recipient }: VoteRow): string => (player ?? recipient).toLowerCase();

const PAGE = 500;

export async function readLedger(ledger: LedgerReader): Promise<LedgerContents> {
  const votes = await everyPage((page) => ledger.votes(page));
  const all = await everyPage((page) => ledger.grants(page));
  const grants = new Map<number, GrantRow[]>();
  for (const grant of all.reverse()) {
    if (grant.voteId === null) continue;
    const others = grants.get(grant.voteId);
    if (others === undefined) grants.set(grant.voteId, [grant]);
    else others.push(grant);
  }
  return {
    ...{ votes: votes.reverse(), grants },
    ofParties: all.filter(({ cause }) => cause === 'party'),
    ofTops: all.filter(({ cause }) => cause === 'top'),
  };
}

/** All rows, the newest first. */
async function everyPage<Row extends { readonly id: number }>(
  read: (page: { readonly limit: number; readonly after?: number }) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const after = rows.at(-1)?.id;
    const page = await read({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}
