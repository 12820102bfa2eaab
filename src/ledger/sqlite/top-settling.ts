import { isForgotten } from '../../core/forgotten-name.ts';
import { occasion } from '../../core/occasion.ts';
import { isPeriodPaidHere } from '../../core/pay.ts';
import { daysOf, periodName, periodOf } from '../../core/period.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { draw } from '../../rewards/draws.ts';
import { chosen } from '../../rewards/grants.ts';
import { type Top, misfitOf } from '../../rewards/reward.ts';
import type { Placed } from '../../rewards/standings.ts';
import type { TopOrder } from '../together-ledger.ts';
import { JointGrants } from './joint-grants.ts';
import type { KnownRewards } from './known-rewards.ts';
import { IN_SHADOW, type InitialState } from './new-grants.ts';

/** Stores the places of periods that are over, and creates their grants. The caller holds the transaction. */
export class TopSettling {
  private readonly statements;
  private readonly grants: JointGrants;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.statements = prepareStatements(database);
    this.grants = new JointGrants(database, rewards);
  }

  due({ name, period: per }: Pick<Top, 'name' | 'period'>, upTo: number): number | null {
    const rewardId = this.rewards.find(name)?.id;
    if (rewardId === undefined) return null;
    const startDay = this.statements.startDay.get(rewardId, per) as number | undefined;
    if (startDay === undefined) return null;
    const settled = this.statements.lastSettled.get(rewardId, per) as number | null;
    const next = settled === null ? periodOf(per, startDay) : settled + 1;
    return next <= upTo ? next : null;
  }

  settle(order: TopOrder, now: number): number | null {
    const { top, period } = order;
    const rewardId = this.rewards.find(top.name)?.id;
    if (rewardId === undefined) return 0;
    if (order.places.some((placed) => isForgotten({ player: this.recipientOf(placed).key }))) return null;
    const { lastInsertRowid, changes } = this.statements.settle.run(rewardId, top.period, period, now);
    if (changes === 0) return 0;
    const initial = this.initialState(order);
    return order.places
      .map((placed) => this.storePlace(Number(lastInsertRowid), placed, order, initial, now))
      .reduce((sum, each) => sum + each, 0);
  }

  /** @returns how many grants it is worth. */
  private storePlace(
    topId: number,
    placed: Placed,
    order: TopOrder,
    initial: InitialState,
    now: number,
  ): number {
    const { top, period, draws } = order;
    const { place, recipientId, player, votes, reachedAt } = placed;
    const causeId = Number(
      this.statements.place.run(topId, place, recipientId, player, votes, reachedAt).lastInsertRowid,
    );
    const recipient = this.recipientOf(placed);
    const name = `top ${periodName(top.period, period)} place ${place}`;
    const choice = chosen(top, place, () => draw(draws, 'oneOf', top.name, name));
    if (choice === undefined || misfitOf(top, recipient.kind) !== null) return 0;
    const cause = { cause: 'top', causeId, recipientId, recipient } as const;
    const granted = { occasion: occasion(name, { threshold: place }), choice };
    const day = daysOf(top.period, period).to;
    return this.grants.create({ ...cause, ...granted, reward: top, day, initial }, order, now);
  }

  private recipientOf({ recipientId, player }: Placed): Recipient {
    const { kind, key } = this.statements.recipient.get(recipientId) as Pick<Recipient, 'kind' | 'key'>;
    return (kind === 'player' ? { kind, key, player: player ?? key } : { kind, key }) as Recipient;
  }

  /** The lost ledger may have settled it; or the period may not be over yet. */
  private initialState({ endedAt, rules }: TopOrder): InitialState {
    if (!isPeriodPaidHere(endedAt, rules.pay)) return IN_SHADOW;
    if (this.statements.restoredSince.get(endedAt) !== undefined)
      return { state: 'held', reason: { code: 'restore-doubt' } };
    return this.statements.doubt.get() === null
      ? { state: 'pending', reason: null }
      : { state: 'held', reason: { code: 'clock-doubt' } };
  }
}

const prepareStatements = (db: Database) => ({
  startDay: db.prepare('SELECT start_day FROM top_starts WHERE reward_id = ? AND per = ?').pluck(),
  lastSettled: db.prepare('SELECT max(period) FROM settled_tops WHERE reward_id = ? AND per = ?').pluck(),
  settle: db.prepare(`
    INSERT INTO settled_tops (reward_id, per, period, settled_at, last_vote)
    VALUES (?, ?, ?, ?, (SELECT ifnull(max(id), 0) FROM votes)) ON CONFLICT DO NOTHING`),
  place: db.prepare(`
    INSERT INTO top_places (top_id, place, recipient_id, player, votes, reached_at) VALUES (?, ?, ?, ?, ?, ?)`),
  recipient: db.prepare('SELECT kind, key FROM recipients WHERE id = ?'),
  restoredSince: db.prepare('SELECT 1 FROM restores WHERE restored_at >= ? LIMIT 1').pluck(),
  doubt: db.prepare('SELECT doubt FROM clock').pluck(),
});
