import { createHash } from 'node:crypto';
import type { PlannedGrant } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { earnedLate } from '../../rewards/decide.ts';
import type { BalanceOrder, DebtEntry, OwedReward, OwedVote } from '../import-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { NewGrants } from './new-grants.ts';
import { Recipients } from './recipients.ts';
import { Histories } from './sqlite-history.ts';

const HELD = { state: 'held', reason: { code: 'imported' } } as const;

/** Records what other plugins owe as grants that the operator has to confirm. The caller holds the transaction. */
export class ImportingDebts {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly newGrants: NewGrants;
  private readonly histories: Histories;

  constructor(database: Database, rewards: KnownRewards) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.newGrants = new NewGrants(database);
    this.histories = new Histories(database, rewards);
  }

  /** @returns how many grants were created. */
  import(entries: readonly DebtEntry[], order: BalanceOrder): number {
    const today = localDay(order.now, order.rules.zone);
    for (const reward of order.rules.rewards) this.histories.rewards.use(reward, today);
    let grants = 0;
    for (const entry of entries) {
      const { player } = entry;
      const recipientId = this.recipients.findOrAdd({ kind: 'player', key: playerKey(player) });
      for (const debt of this.newOf(entry, order)) {
        const planned =
          'commands' in debt ? [owedGrant(debt)] : this.earnedBy(debt, entry, recipientId, order);
        if (planned.length > 0) this.store(planned, entry, recipientId, order);
        grants += planned.length;
      }
    }
    return grants;
  }

  /** Of several equal debts, those that are more than were known. */
  private newOf(
    { player, votes, rewards }: DebtEntry,
    { source }: BalanceOrder,
  ): readonly (OwedVote | OwedReward)[] {
    const seen = new Map<string, number>();
    return [...votes, ...rewards].filter((debt) => {
      const digest = digestOf(debt, playerKey(player));
      const times = (seen.get(digest) ?? 0) + 1;
      seen.set(digest, times);
      return this.statements.add.run({ source, digest, times }).changes === 1;
    });
  }

  /** What the rewards give for such a vote now, without those that depend on other votes. */
  private earnedBy(
    { service, site, at, draws }: OwedVote,
    { player }: DebtEntry,
    recipientId: number,
    { rules, now }: BalanceOrder,
  ): readonly PlannedGrant[] {
    const castAt = at ?? now;
    const day = localDay(castAt, rules.zone);
    const judged = {
      ...{ service, site, castAt, day, zone: rules.zone, nextAt: now },
      standing: 'rewarded',
      recipient: { kind: 'player', key: playerKey(player), player },
    } as const;
    return earnedLate(judged, rules, draws, this.histories.of(recipientId, day)).grants;
  }

  /** Each debt is a cause of its own, because a cause has each reward once, and several votes earn the same one. */
  private store(
    planned: readonly PlannedGrant[],
    { player }: DebtEntry,
    recipientId: number,
    { source, by, now }: BalanceOrder,
  ): void {
    const causeId = Number(this.statements.give.run(recipientId, player, now, by).lastInsertRowid);
    const cause = { cause: 'operator', causeId, recipientId, player } as const;
    for (const grant of planned)
      this.statements.from.run(this.newGrants.insert(cause, grant, HELD, now), source);
  }
}

/** Only a digest is kept, so that a player who is forgotten is not named. */
const digestOf = (debt: OwedVote | OwedReward, key: string): string =>
  createHash('sha256')
    .update(
      JSON.stringify('commands' in debt ? [key, debt.what, debt.commands] : [key, debt.service, debt.at]),
    )
    .digest('hex');

/** Players were absent when they earned it, so it is paid when they are online. */
const owedGrant = ({ reward, server, practice, commands }: OwedReward): PlannedGrant => ({
  ...{ reward, occasion: '', server, practice, when: 'online', safeToRunTwice: false },
  ...{ terms: null, checks: null, announcement: null, choice: null, filled: {} },
  commands,
});

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    INSERT INTO imported_debts (source, digest, times) VALUES (@source, @digest, @times)
    ON CONFLICT DO NOTHING`),
  give: db.prepare(
    'INSERT INTO given_rewards (recipient_id, player, given_at, given_by) VALUES (?, ?, ?, ?)',
  ),
  from: db.prepare('INSERT INTO imported_grants (grant_id, source) VALUES (?, ?)'),
});
