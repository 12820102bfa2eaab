import { isForgotten } from '../../core/forgotten-name.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import { localDay } from '../../core/local-time.ts';
import { occasion } from '../../core/occasion.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { partyOccasion } from '../../rewards/party.ts';
import { type Party, misfitOf } from '../../rewards/reward.ts';
import type { FixedPortion, PartyOrder, PresentPlayer, ReachedParty } from '../together-ledger.ts';
import { JointGrants } from './joint-grants.ts';
import type { KnownRewards } from './known-rewards.ts';
import { IN_SHADOW, type InitialState } from './new-grants.ts';
import { COUNTED_FOR_REACHED, IS_OF_REACHED, nextOfReached, type PartyDoubt } from './party-counting.ts';
import { Recipients } from './recipients.ts';

/** Paying the voters of so many votes takes some milliseconds, and other votes wait meanwhile. */
const VOTES_AT_ONCE = 500;

interface StoredParty {
  readonly number: number;
  readonly votes: number;
  readonly reachedBy: number;
  readonly doubt: PartyDoubt | null;
  readonly isPaidElsewhere: number | null;
  readonly isBegun: number;
}

/** Someone who is paid. */
interface Member {
  readonly recipientId: number;
  readonly recipient: Recipient;
  readonly servers: readonly string[];
}

interface Voter {
  readonly recipientId: number;
  readonly kind: Recipient['kind'];
  readonly key: string;
  readonly player: string | null;
}

interface PartyVote {
  readonly id: number;
  readonly recipientId: number;
  readonly isCounted: number;
}

interface Portion {
  readonly members: readonly Member[];
  readonly next: number | null;
}

/**
 * Stores who is paid for the parties that were reached. The caller holds the transaction.
 *
 * Voters are stored in portions. The process can end between two of them, and others can write. This stays true:
 * - Which votes are those of the party was stored when it was reached, by their IDs. Votes that come later have others.
 * - A voter is stored together with their grants, and once: whoever is a member is passed over. So any portion can be done again,
 *   and the votes can be read again from the first one.
 * - The party is open until its last portion. Once voters are stored, the others follow, whoever is online by then and whomever
 *   the config says that it is for; and they get the same random number.
 * - Whether its grants are held is read with each portion. Releasing the clock changes that and the grants that are there in one
 *   transaction.
 */
export class PartyFixing {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly grants: JointGrants;

  constructor(database: Database, rewards: KnownRewards) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.grants = new JointGrants(database, rewards);
  }

  reached(): ReachedParty[] {
    const rows = this.statements.reached.all() as (Omit<ReachedParty, 'isBegun'> & { isBegun: number })[];
    return rows.map((row) => ({ ...row, isBegun: row.isBegun === 1 }));
  }

  /** Does nothing if all was stored before. */
  fix(ordered: PartyOrder, after: number, now: number): FixedPortion {
    const { id } = ordered;
    const party = this.statements.open.get(id) as StoredParty | undefined;
    if (party === undefined) return { grants: 0, next: null };
    const order = party.isBegun === 1 ? this.continued(ordered) : ordered;
    const { members, next } = this.portion(order, party, after);
    const grants = members.map((member) => this.pay(member, order, party, now));
    if (next === null) this.statements.close.run(now, id);
    return { grants: grants.reduce((sum, each) => sum + each, 0), next };
  }

  private continued(order: PartyOrder): PartyOrder {
    const number = this.statements.drawn.get(order.id) as number | null | undefined;
    const draws = typeof number === 'number' ? ({ kind: 'stored', number } as const) : order.draws;
    return { ...order, party: { ...order.party, for: 'voters' }, present: null, draws };
  }

  /** @returns how many grants were created. */
  private pay(member: Member, order: PartyOrder, party: StoredParty, now: number): number {
    const { recipientId, recipient, servers } = member;
    const { lastInsertRowid } = this.statements.addMember.run(order.id, recipientId);
    // Where they are is known of those who are online.
    const reward = {
      ...order.party,
      servers,
      whereOnline: order.party.whereOnline && order.present === null,
    };
    const grant = {
      ...({ cause: 'party', causeId: Number(lastInsertRowid), recipientId, recipient } as const),
      isNobodys: order.party.for === 'once',
      ...{ occasion: occasion(partyOccasion(party.number)), choice: null, reward },
      day: localDay(now, order.rules.zone),
      shared: { partyVotes: party.votes, partyLeft: order.party.every },
      initial: initialState(party),
    };
    return this.grants.create(grant, order, now);
  }

  private portion(order: PartyOrder, stored: StoredParty, after: number): Portion {
    const { id, party, present } = order;
    // No more than players who are online.
    if (present !== null) return { members: this.presentMembers(present), next: null };
    if (party.for === 'once')
      return { members: this.reacher(id, stored).map((voter) => memberOf(voter, party)), next: null };
    const votes = this.statements.votes.all({ id, after }) as PartyVote[];
    const last = votes.length < VOTES_AT_ONCE ? undefined : votes.at(-1);
    return { members: this.newMembers(votes, order), next: last?.id ?? null };
  }

  /** Whose vote reached it; if they were forgotten, who voted last before that. */
  private reacher(id: number, { reachedBy }: StoredParty): readonly Voter[] {
    const voter = this.statements.reacher.get(reachedBy) as Voter;
    if (!isForgotten(voter)) return [voter];
    for (const other of this.statements.lastVoters.iterate(id) as Iterable<Voter>)
      if (!isForgotten(other)) return [other];
    return [];
  }

  /** In the order of their first votes. */
  private newMembers(votes: readonly PartyVote[], { id, party }: PartyOrder): readonly Member[] {
    const counted = votes.filter(({ isCounted }) => isCounted === 1);
    const recipients = new Set(counted.map(({ recipientId }) => recipientId));
    return [...recipients].flatMap((recipientId) => {
      const of = { id, recipientId };
      if (this.statements.member.get(of) !== undefined) return [];
      const voter = this.statements.voter.get({ ...of, least: party.userVotes }) as Voter | undefined;
      const isPaid = voter !== undefined && !isForgotten(voter) && misfitOf(party, voter.kind) === null;
      return isPaid ? [memberOf(voter, party)] : [];
    });
  }

  /** Each once, however many game servers they are on. */
  private presentMembers(present: readonly PresentPlayer[]): readonly Member[] {
    const byRecipient = new Map<number, Member>();
    for (const { player, server } of present) {
      const recipient = { kind: 'player', key: playerKey(player), player } as const;
      const recipientId = this.recipients.findOrAdd(recipient);
      if (!byRecipient.has(recipientId))
        byRecipient.set(recipientId, { recipientId, recipient, servers: [server] });
    }
    return [...byRecipient.values()];
  }
}

/** Who pays the vote that reached it pays it. */
function initialState({ doubt, isPaidElsewhere }: StoredParty): InitialState {
  if (isPaidElsewhere === 1) return IN_SHADOW;
  return doubt === null
    ? { state: 'pending', reason: null }
    : { state: 'held', reason: { code: doubt } satisfies GrantReason };
}

const memberOf = (voter: Voter, { servers }: Party): Member => ({
  recipientId: voter.recipientId,
  recipient: recipientOf(voter),
  servers,
});

const recipientOf = ({ kind, key, player }: Voter): Recipient =>
  kind === 'player' ? ({ kind, key, player: player ?? key } as Recipient) : { kind, key };

const IS_BEGUN = 'EXISTS (SELECT 1 FROM party_members WHERE party_id = p.id) AS isBegun';
const VOTER = 'v.recipient_id AS recipientId, r.kind, r.key, v.player';

const prepareStatements = (db: Database) => ({
  reached: db.prepare(`
    SELECT p.id, r.name AS party, p.number, p.reached_at AS reachedAt, ${IS_BEGUN}
    FROM reached_parties p JOIN rewards r ON r.id = p.reward_id WHERE p.fixed_at IS NULL ORDER BY p.id`),
  open: db.prepare(`
    SELECT number, votes, reached_by AS reachedBy, doubt, ${IS_BEGUN},
      (SELECT paid_elsewhere FROM votes WHERE id = reached_by) AS isPaidElsewhere
    FROM reached_parties p WHERE id = ? AND fixed_at IS NULL`),
  close: db.prepare('UPDATE reached_parties SET fixed_at = ? WHERE id = ?'),
  // All who are paid for a party get the same number.
  drawn: db
    .prepare(`
    SELECT g.filled ->> 'random' FROM party_members m CROSS JOIN grants g ON g.cause = 'party' AND g.cause_id = m.id
    WHERE m.party_id = ? ORDER BY m.id LIMIT 1`)
    .pluck(),
  reacher: db.prepare(
    `SELECT ${VOTER} FROM votes v JOIN recipients r ON r.id = v.recipient_id WHERE v.id = ?`,
  ),
  lastVoters: db.prepare(`
    SELECT ${VOTER} FROM reached_parties p CROSS JOIN votes v CROSS JOIN recipients r ON r.id = v.recipient_id
    WHERE p.id = ? AND v.id <= p.last_vote AND ${IS_OF_REACHED} AND ${COUNTED_FOR_REACHED} ORDER BY v.id DESC`),
  votes: db.prepare(`
    SELECT v.id, v.recipient_id AS recipientId, ${COUNTED_FOR_REACHED} AS isCounted
    FROM (${nextOfReached(VOTES_AT_ONCE)}) next CROSS JOIN votes v ON v.id = next.id
    CROSS JOIN reached_parties p ON p.id = @id ORDER BY v.id`),
  // A party has many members, and a player is a member of few parties.
  member: db.prepare(`
    SELECT 1 FROM party_members INDEXED BY party_members_of WHERE recipient_id = @recipientId AND party_id = @id`),
  // The spelling of the latest of these votes.
  voter: db.prepare(`
    SELECT recipientId, kind, key, (SELECT player FROM votes WHERE id = last) AS player FROM (
      SELECT v.recipient_id AS recipientId, r.kind, r.key, max(v.id) AS last
      FROM reached_parties p CROSS JOIN votes v INDEXED BY votes_by_day CROSS JOIN recipients r ON r.id = v.recipient_id
      WHERE p.id = @id AND v.recipient_id = @recipientId AND ${IS_OF_REACHED} AND ${COUNTED_FOR_REACHED}
      GROUP BY v.recipient_id HAVING count(*) >= @least)`),
  addMember: db.prepare('INSERT INTO party_members (party_id, recipient_id) VALUES (?, ?)'),
});
