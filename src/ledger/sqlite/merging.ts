import { playerKey } from '../../core/player-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { MergeOrder, PlayerChanged, PlayerOrder, PlayerRefusal } from '../player-ledger.ts';
import { JoinedRows } from './joined-rows.ts';
import { NameHolding } from './name-holding.ts';
import { type NameRow, PlayerNames } from './player-names.ts';
import type { Seeing } from './seeing.ts';

const CHANGED: PlayerChanged = { kind: 'changed' };

/** Lets the operator say which names are one player. The caller holds the transaction. */
export class Merging {
  private readonly names: PlayerNames;
  private readonly rows: JoinedRows;
  private readonly holding: NameHolding;

  constructor(
    database: Database,
    private readonly seeing: Seeing,
  ) {
    this.names = new PlayerNames(database);
    this.rows = new JoinedRows(database);
    this.holding = new NameHolding(database);
  }

  merge({ name, into, by, rules }: MergeOrder, now: number): PlayerChanged {
    const [joining, kept] = [this.names.find(playerKey(name)), this.names.find(playerKey(into))];
    if (joining === null || kept === null) return refused('player-missing');
    const refusal = this.refusalOf(joining, kept);
    if (refusal !== null) return refused(refusal);
    this.seeing.join(joining, kept.historyId, 'merged', { by, rules, now });
    this.holding.release(kept.historyId, now);
    return CHANGED;
  }

  private refusalOf(one: NameRow, other: NameRow): PlayerRefusal | null {
    if (one.historyId === other.historyId) return 'players-same';
    const kinds = this.names.uuidKinds(other.historyId);
    if ([...this.names.uuidKinds(one.historyId)].some((kind) => kinds.has(kind))) return 'players-differ';
    const keys = new Set(this.names.keysOf(other.historyId));
    return this.names.keysOf(one.historyId).some((key) => keys.has(key)) ? 'players-shared-name' : null;
  }

  /** Undoes the change that joined a name. UUIDs stay with the names under which they were first seen. */
  split({ name, by }: Omit<PlayerOrder, 'rules'>, now: number): PlayerChanged {
    const row = this.names.find(playerKey(name));
    if (row === null) return refused('player-missing');
    const { id, key, historyId } = row;
    const joinedBy = this.names.joinedBy(id);
    if (id === historyId || joinedBy === null) return refused('player-not-joined');
    this.names.separate(id);
    this.rows.separate({ from: historyId, to: id }, key, joinedBy);
    this.names.payAs(historyId, null);
    this.holding.release(id, now);
    const change = { kind: 'split', nameId: id, historyId, by, now } as const;
    this.names.undone(joinedBy, this.names.trace(change));
    return CHANGED;
  }
}

const refused = (code: PlayerRefusal): PlayerChanged => ({ kind: 'refused', code });
