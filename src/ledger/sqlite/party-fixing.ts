import { isForgotten } from '../../core/forgotten-name.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import { localDay } from '../../core/local-time.ts';
import { occasion } from '../../core/occasion.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Recipient } from '../../core/vote.ts';
import { partyOccasion } from '../../rewards/party.ts';
import { misfitOf } from '../../rewards/recipient.ts';
import type { Database } from '../../sqlite/open.ts';
import type { PartyOrder, PresentPlayer, ReachedParty } from '../together-ledger.ts';
import { JointGrants } from './joint-grants.ts';
import type { KnownRewards } from './known-rewards.ts';
import { IN_SHADOW, type InitialState } from './new-grants.ts';
import { countedIn, type PartyDoubt } from './party-counting.ts';
import { Recipients } from './recipients.ts';

interface StoredParty {
  readonly number: number;
  readonly votes: number;
  readonly reachedBy: number;
  readonly doubt: PartyDoubt | null;
  readonly isPaidElsewhere: number | null;
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
  /** The latest of their votes that counted. */
  readonly last: number;
}

/** Stores who is paid for the parties that were reached. The caller holds the transaction. */
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
    return this.statements.reached.all() as ReachedParty[];
  }

  /** @returns how many grants were created; none if it was fixed before. */
  fix(order: PartyOrder, now: number): number {
    const party = this.statements.fix.get(now, order.id) as StoredParty | undefined;
    if (party === undefined) return 0;
    const initial = initialState(party);
    const granted = { occasion: occasion(partyOccasion(party.number)), choice: null };
    const shared = { partyVotes: party.votes, partyLeft: order.party.every };
    const day = localDay(now, order.rules.zone);
    let created = 0;
    for (const member of this.members(order, party)) {
      const memberId = Number(this.statements.addMember.run(order.id, member.recipientId).lastInsertRowid);
      const { recipientId, recipient, servers } = member;
      // Where they are is known of those who are online.
      const reward = {
        ...order.party,
        servers,
        whereOnline: order.party.whereOnline && order.present === null,
      };
      const isNobodys = order.party.for === 'once';
      const cause = { cause: 'party', causeId: memberId, recipientId, recipient, isNobodys } as const;
      created += this.grants.create({ ...cause, ...granted, reward, day, shared, initial }, order, now);
    }
    return created;
  }

  private members({ id, party, present }: PartyOrder, stored: StoredParty): readonly Member[] {
    if (present !== null) return this.presentMembers(present);
    const voters =
      party.for === 'once'
        ? this.reacher(id, stored)
        : this.voters(id, party.userVotes).filter(({ kind }) => misfitOf(party, kind) === null);
    const { servers } = party;
    return voters.map((voter) => ({
      recipientId: voter.recipientId,
      recipient: recipientOf(voter),
      servers,
    }));
  }

  /** Whose vote reached it; if they were forgotten, who voted last before that. */
  private reacher(id: number, { reachedBy }: StoredParty): readonly Voter[] {
    const voter = this.statements.reacher.get(reachedBy) as Voter;
    return isForgotten(voter)
      ? this.voters(id, 1)
          .toSorted((one, other) => other.last - one.last)
          .slice(0, 1)
      : [voter];
  }

  private voters(id: number, least: number): readonly Voter[] {
    const voters = this.statements.voters.all({ id, least }) as Voter[];
    return voters.filter((voter) => !isForgotten(voter));
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

const recipientOf = ({ kind, key, player }: Voter): Recipient =>
  kind === 'player' ? ({ kind, key, player: player ?? key } as Recipient) : { kind, key };

const prepareStatements = (db: Database) => ({
  reached: db.prepare(`
    SELECT p.id, r.name AS party, p.number, p.reached_at AS reachedAt
    FROM reached_parties p JOIN rewards r ON r.id = p.reward_id WHERE p.fixed_at IS NULL ORDER BY p.id`),
  fix: db.prepare(`
    UPDATE reached_parties SET fixed_at = ? WHERE id = ? AND fixed_at IS NULL
    RETURNING number, votes, reached_by AS reachedBy, doubt,
      (SELECT paid_elsewhere FROM votes WHERE id = reached_by) AS isPaidElsewhere`),
  reacher: db.prepare(`
    SELECT v.recipient_id AS recipientId, r.kind, r.key, v.player, v.id AS last
    FROM votes v JOIN recipients r ON r.id = v.recipient_id WHERE v.id = ?`),
  // The spelling of the latest of these votes.
  voters: db.prepare(`
    SELECT recipientId, kind, key, (SELECT player FROM votes WHERE id = last) AS player, last FROM (
      SELECT v.recipient_id AS recipientId, r.kind, r.key, max(v.id) AS last, min(v.id) AS first
      FROM reached_parties p CROSS JOIN votes v JOIN recipients r ON r.id = v.recipient_id
      WHERE p.id = @id AND ${countedIn('reached_parties')}
      GROUP BY v.recipient_id HAVING count(*) >= @least)
    ORDER BY first`),
  addMember: db.prepare('INSERT INTO party_members (party_id, recipient_id) VALUES (?, ?)'),
});
