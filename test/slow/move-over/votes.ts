import { readForward } from '../../../src/core/forward.ts';
import { allGrants } from '../../../src/ledger/all-grants.ts';
import type { GrantRow, Ledger, VoteRow } from '../../../src/ledger/ledger.ts';
import { type Payer, voteName } from './game-servers.ts';
import type { World } from './world.ts';

export const nameOf = ({ player, service }: { player: string | null; service: string }): string =>
  voteName(player ?? '', service);

export const paidBy = ({ games }: World, payer: Payer): string[] =>
  games.payments.filter((each) => each.payer === payer).map(({ vote }) => vote);

/** Every vote of the ledger, oldest first. */
export async function votesIn(ledger: Ledger): Promise<VoteRow[]> {
  const votes: VoteRow[] = [];
  let after: number | undefined;
  for (;;) {
    const rows = await ledger.votes({ limit: 500, ...(after === undefined ? {} : { after }) });
    votes.push(...rows);
    if (rows.length < 500) return votes.toReversed();
    after = rows.at(-1)?.id;
  }
}

/** A grant of a test: what it pays or forwards is one vote. */
export interface VoteGrant {
  readonly id: number;
  readonly vote: string;
}

export async function grantsOf(
  ledger: Ledger,
  state: GrantRow['state'],
  kind: 'forward' | 'reward',
): Promise<VoteGrant[]> {
  const grants: VoteGrant[] = [];
  for await (const { id, commands } of allGrants(ledger, { state })) {
    const [{ command } = { command: '' }] = commands;
    const forward = readForward(command);
    if ((forward !== null) === (kind === 'forward'))
      grants.push({ id, vote: forward === null ? command.replace('pay ', '') : nameOf(forward) });
  }
  return grants;
}

/** The votes of grants in a state. */
export const votesOf = async (...args: Parameters<typeof grantsOf>): Promise<string[]> =>
  (await grantsOf(...args)).map(({ vote }) => vote);

/** Who has to pay the votes received in a time. In ms since the Unix epoch. */
export async function payersOf(ledger: Ledger, from: number, to: number): Promise<Payer[]> {
  const votes = (await votesIn(ledger)).filter(({ receivedAt }) => receivedAt >= from && receivedAt < to);
  return [...new Set(votes.map(({ isPaidElsewhere }) => (isPaidElsewhere ? 'old side' : 'Teller')))];
}
