import type { Per } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { NamedReward } from '../../rewards/reward.ts';
import { GrantedVotes } from './granted-votes.ts';
import { MergingRewards } from './merging-rewards.ts';

/** A reward that a running config has contained. */
export interface KnownReward {
  readonly id: number;
  /** The local day on which that was first so. */
  readonly startDay: number;
  /** The last vote that was recorded before. */
  readonly afterVote: number;
  /** The last void before: votes that were voided later still counted when it started. */
  readonly afterVoid: number;
  /** The last vote that was decided again before, because its service was listed. */
  readonly afterListed: number;
  readonly isLimited: 0 | 1;
}

/** The rewards that running configs have contained, and since when. The caller holds the transaction. */
export class KnownRewards {
  private readonly statements;
  /** Read in this transaction. */
  private readonly known = new Map<string, KnownReward>();
  /** What this transaction changed may be rolled back with the call that changed it, so it is read each time. */
  private isChanged = false;
  private readonly granted: GrantedVotes;
  private readonly merging: MergingRewards;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.granted = new GrantedVotes(database);
    this.merging = new MergingRewards(database);
  }

  /** Call this in each transaction, because another process may have changed them since the last one. */
  begin(): void {
    this.known.clear();
    this.isChanged = false;
  }

  /** null for a reward that no running config has contained. */
  find(name: string): KnownReward | null {
    const known = this.known.get(name) ?? (this.statements.find.get(name) as KnownReward | undefined);
    if (known !== undefined && !this.isChanged) this.known.set(name, known);
    return known ?? null;
  }

  /** A reward that is not known starts today, unless it carries on another one. */
  use(reward: NamedReward, today: number): void {
    if (this.find(reward.name) === null) this.start(reward, today);
    const known = this.find(reward.name);
    if (reward.limit !== null && known?.isLimited === 0) this.limit(known.id);
  }

  /** Call this after `use`. A top with another period starts today. */
  startTop({ name, period }: { readonly name: string; readonly period: Per }, today: number): void {
    const known = this.find(name);
    if (known !== null) this.statements.startTop.run(known.id, period, today);
  }

  private limit(id: number): void {
    this.granted.fill(id);
    this.statements.limit.run(id);
    this.known.clear();
    this.isChanged = true;
  }

  private start({ name, was }: NamedReward, today: number): void {
    const known = was.flatMap((old) => this.find(old) ?? []).sort((a, b) => a.afterVote - b.afterVote);
    if (known.length === 0) this.startNew(name, today);
    else this.carryOn(known, name);
    this.known.clear();
    this.isChanged = true;
  }

  private startNew(name: string, today: number): void {
    const { lastInsertRowid } = this.statements.start.run(name, today);
    this.statements.nameNew.run(lastInsertRowid, name, name);
  }

  /** @param known the one that is known longest first. */
  private carryOn(known: readonly KnownReward[], name: string): void {
    const id = this.merging.merge(known.map((each) => each.id));
    this.statements.endNames.run(id);
    this.statements.rename.run(name, id);
    this.statements.nameAgain.run(id, name);
  }
}

const LAST_VOTE = '(SELECT ifnull(max(id), 0) FROM votes)';
const LAST_LISTED = '(SELECT ifnull(max(id), 0) FROM listed_votes)';

const prepareStatements = (db: Database) => ({
  find: db.prepare(
    'SELECT id, start_day AS startDay, after_vote AS afterVote, after_void AS afterVoid, after_listed AS afterListed, is_limited AS isLimited FROM rewards WHERE name = ?',
  ),
  start: db.prepare(`
    INSERT INTO rewards (name, start_day, after_vote, after_void, after_listed)
    VALUES (?, ?, ${LAST_VOTE}, (SELECT ifnull(max(id), 0) FROM voided_votes), ${LAST_LISTED})`),
  rename: db.prepare('UPDATE rewards SET name = ? WHERE id = ?'),
  // What was granted under the name while no other reward had it is its own: it may be older than this table.
  nameNew: db.prepare(`
    INSERT INTO reward_names (reward_id, name, after_vote)
    VALUES (?, ?, (SELECT ifnull(max(up_to_vote), 0) FROM reward_names WHERE name = ?))`),
  // It had the name before if it was renamed back before any vote.
  nameAgain: db.prepare(`
    INSERT INTO reward_names (reward_id, name, after_vote, after_listed) VALUES (?, ?, ${LAST_VOTE}, ${LAST_LISTED})
    ON CONFLICT DO UPDATE SET up_to_vote = NULL, up_to_listed = NULL`),
  endNames: db.prepare(`
    UPDATE reward_names SET up_to_vote = ${LAST_VOTE}, up_to_listed = ${LAST_LISTED}
    WHERE reward_id = ? AND up_to_vote IS NULL`),
  startTop: db.prepare(
    'INSERT INTO top_starts (reward_id, per, start_day) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  ),
  limit: db.prepare('UPDATE rewards SET is_limited = 1 WHERE id = ?'),
});
