import { HOUR_MS } from '../../core/duration.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Kept } from '../player-ledger.ts';
import { withoutAddress } from './forwarding.ts';

/** So many votes take some milliseconds, and others wait meanwhile. */
const VOTES_AT_ONCE = 500;

type What = keyof Kept;

interface Received {
  readonly id: number;
  readonly receivedAt: number;
}

/** Removes what is older than it is kept, a portion at a time. The caller holds the transaction. */
export class Removing {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** @returns whether there is more. */
  remove({ addresses, wire }: Kept): boolean {
    const hasMore = [
      ...(addresses === null ? [] : [this.removeBefore('addresses', addresses)]),
      ...(wire === null ? [] : [this.removeBefore('wire', wire)]),
    ];
    if (addresses !== null) this.mergeRefusals(Math.floor(addresses / HOUR_MS));
    return hasMore.includes(true);
  }

  private removeBefore(what: What, before: number): boolean {
    const { upTo, next, remove, forwards, store } = this.statements;
    const after = upTo.get(what) as number;
    const votes = next.all(after) as Received[];
    // Votes are stored in the order in which they were received, except while the clock is wrong.
    const newer = votes.findIndex(({ receivedAt }) => receivedAt >= before);
    const last = votes[newer === -1 ? votes.length - 1 : newer - 1];
    if (last === undefined) return false;
    remove[what].run({ after, last: last.id });
    forwards.run({ after, last: last.id });
    store.run(last.id, what);
    return newer === -1 && votes.length === VOTES_AT_ONCE;
  }

  /** Refusals keep their counts. */
  private mergeRefusals(hour: number): void {
    const { hasSenders, mergeSenders, forgetSenders } = this.statements;
    if (hasSenders.get(hour) === undefined) return;
    mergeSenders.run(hour);
    forgetSenders.run(hour);
  }
}

const WITH_SENDER = "FROM refusals WHERE hour < ? AND sender <> ''";

const prepareStatements = (db: Database) => ({
  upTo: db.prepare('SELECT vote_id FROM removed_up_to WHERE what = ?').pluck(),
  next: db.prepare(`
    SELECT id, received_at AS receivedAt FROM votes WHERE id > ? ORDER BY id LIMIT ${VOTES_AT_ONCE}`),
  remove: {
    addresses: db.prepare('UPDATE votes SET address = NULL WHERE id > @after AND id <= @last'),
    wire: db.prepare("UPDATE votes SET wire = '', sent_as = NULL WHERE id > @after AND id <= @last"),
  },
  forwards: db.prepare(withoutAddress('cause_id > @after AND cause_id <= @last')),
  store: db.prepare('UPDATE removed_up_to SET vote_id = ? WHERE what = ?'),
  hasSenders: db.prepare(`SELECT 1 ${WITH_SENDER} LIMIT 1`),
  mergeSenders: db.prepare(`
    INSERT INTO refusals (hour, code, service, sender, count, last_at)
    SELECT hour, code, service, '', sum(count), max(last_at) ${WITH_SENDER} GROUP BY hour, code, service
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`),
  forgetSenders: db.prepare(`DELETE ${WITH_SENDER}`),
});
