import { localDay } from '../../core/local-time.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { partyPeriod } from '../../rewards/party.ts';
import type { BalanceOrder, PartyEntry, PartyImported } from '../import-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { COUNTED_IN_ROUND, PartyCounting } from './party-counting.ts';

interface Round {
  readonly counted: number;
  /** Votes here that have counted in it, and those of them that the plugin had not counted yet. */
  readonly here: number;
  readonly since: number;
}

/** Lets parties go on from where another plugin was. The caller holds the transaction. */
export class ImportingParties {
  private readonly statements;
  private readonly counting: PartyCounting;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.statements = prepareStatements(database);
    this.counting = new PartyCounting(database, rewards);
  }

  import({ party, votes }: PartyEntry, { asOf, now, rules }: BalanceOrder): PartyImported {
    const [today, then] = [localDay(now, rules.zone), localDay(asOf, rules.zone)];
    this.rewards.use(party, today);
    const rewardId = this.rewards.find(party.name)?.id ?? 0;
    const period = partyPeriod(party, today);
    if (partyPeriod(party, then).period !== period.period) return { kind: 'over' };
    if (this.statements.isReachedSince.get({ rewardId, asOf }) !== undefined)
      return { kind: 'reached-since' };
    this.counting.begin({ rewardId, ...period });
    const round = this.statements.round.get({ rewardId, asOf }) as Round;
    // The next vote reaches it at the earliest: an import pays nothing.
    const counted = Math.min(votes + round.since, party.every - 1);
    if (counted === round.counted) return { kind: 'same', counted };
    this.statements.set.run({ rewardId, counted, imported: counted - round.here });
    return { kind: 'set', was: round.counted, counted };
  }
}

const prepareStatements = (db: Database) => ({
  isReachedSince: db.prepare(
    'SELECT 1 FROM reached_parties WHERE reward_id = @rewardId AND reached_at > @asOf LIMIT 1',
  ),
  round: db.prepare(`
    SELECT counted,
      (SELECT count(*) FROM votes v WHERE ${COUNTED_IN_ROUND}) AS here,
      (SELECT count(*) FROM votes v WHERE ${COUNTED_IN_ROUND} AND v.cast_at > @asOf) AS since
    FROM parties p WHERE reward_id = @rewardId`),
  set: db.prepare('UPDATE parties SET counted = @counted, imported = @imported WHERE reward_id = @rewardId'),
});
