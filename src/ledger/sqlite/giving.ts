import { localDay } from '../../core/local-time.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { historyOfGiven, voteOf } from '../../rewards/decide.ts';
import { grantsGiven } from '../../rewards/grants.ts';
import type { GivenReward, RewardGiven } from '../operator-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { NewGrants } from './new-grants.ts';
import { Recipients } from './recipients.ts';
import { Histories } from './sqlite-history.ts';

/**
 * Lets the operator give rewards without a vote, also for what was passed by joining names. The caller holds the
 * transaction.
 */
export class Giving {
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

  give(given: GivenReward, now: number): RewardGiven {
    const { reward, occasion, player, by, rules } = given;
    const today = localDay(now, rules.zone);
    const { rewards, occasions } = this.histories;
    rewards.use(reward, today);
    const recipientId = this.recipients.findOrAdd({ kind: 'player', key: playerKey(player) });
    const owner = { rewardId: rewards.find(reward.name)?.id ?? 0, recipientId };
    const isSpent = occasion.name !== '' && occasions.isSpent(owner, occasion);
    const passed = { ...owner, occasion: occasion.name };
    const isListed = isSpent && this.statements.isPassed.get(passed) !== undefined;
    const changeId = isSpent ? occasions.passedAmongTotals(owner, occasion) : null;
    if (isSpent && !isListed && changeId === null) return { kind: 'refused', code: 'occasion-spent' };
    const grants = this.grantsOf(given, recipientId, now);
    if (grants.length === 0) return { kind: 'refused', code: 'reward-unfit' };
    const causeId = Number(this.statements.store.run(recipientId, player, now, by).lastInsertRowid);
    if (isListed) this.statements.givePassed.run({ ...passed, causeId });
    else if (occasion.name !== '') occasions.spend(owner, occasion, null);
    if (changeId !== null) this.statements.giveAmongTotals.run({ ...passed, changeId, causeId });
    const cause = { cause: 'operator', causeId, recipientId, player } as const;
    const initial = { state: 'pending', reason: { code: 'by-operator' } } as const;
    return {
      kind: 'given',
      grantIds: grants.map((grant) => this.newGrants.insert(cause, grant, initial, now)),
    };
  }

  private grantsOf(
    { reward, occasion, player, rules, draws }: GivenReward,
    recipientId: number,
    now: number,
  ) {
    const day = localDay(now, rules.zone);
    const vote = voteOf({ kind: 'player', key: playerKey(player), player }, day, now, rules.zone);
    const history = historyOfGiven(reward, vote, rules, this.histories.of(recipientId, day));
    return grantsGiven(reward, occasion, { vote, history, draws, rules });
  }
}

const PASSED =
  'reward_id = @rewardId AND recipient_id = @recipientId AND occasion = @occasion AND given_id IS NULL';

const prepareStatements = (db: Database) => ({
  isPassed: db.prepare(`SELECT 1 FROM passed_occasions WHERE ${PASSED}`),
  givePassed: db.prepare(`UPDATE passed_occasions SET given_id = @causeId WHERE ${PASSED}`),
  giveAmongTotals: db.prepare(`
    INSERT INTO passed_occasions (reward_id, recipient_id, occasion, change_id, given_id)
    VALUES (@rewardId, @recipientId, @occasion, @changeId, @causeId)`),
  store: db.prepare(
    'INSERT INTO given_rewards (recipient_id, player, given_at, given_by) VALUES (?, ?, ?, ?)',
  ),
});
