import { hasBedrockPrefix, playerKey } from '../../core/player-name.ts';
import { type PlayerUuidKind, playerUuidKind } from '../../core/player-uuid.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Rules } from '../../rewards/reward.ts';
import type { SeenPlayer, SeenReport } from '../player-ledger.ts';
import { JoinedRows } from './joined-rows.ts';
import type { KnownRewards } from './known-rewards.ts';
import { NameHolding } from './name-holding.ts';
import { Passing } from './passing.ts';
import { type KnownUuid, type NameRow, PlayerNames } from './player-names.ts';

/** A name with the UUID under which it was shown. */
interface Seen extends SeenPlayer {
  readonly key: string;
  readonly kind: PlayerUuidKind;
}

interface Source {
  readonly by: string;
  readonly rules: Rules;
  readonly now: number;
}

/** What one sighting did. */
interface Effect {
  /** The history of the player who was seen; null if the sighting says nothing. */
  readonly historyId: number | null;
  /** Whether names or grants have changed hands. */
  readonly isChange: boolean;
}

const NOTHING: Effect = { historyId: null, isChange: false };

/** Learns from game servers which names are one player. The caller holds the transaction. */
export class Seeing {
  private readonly names: PlayerNames;
  private readonly rows: JoinedRows;
  private readonly passing: Passing;
  private readonly holding: NameHolding;

  constructor(database: Database, rewards: KnownRewards) {
    this.names = new PlayerNames(database);
    this.rows = new JoinedRows(database);
    this.passing = new Passing(database, rewards);
    this.holding = new NameHolding(database);
  }

  /** @returns whether anything but a first sighting changed. */
  store({ players, server, rules }: SeenReport, now: number): boolean {
    const source = { by: server, rules, now };
    const effects = players.map((player) => this.storeOne(player, source));
    // Afterwards, because two players of one report may have swapped names.
    const released = effects.map(({ historyId }) => historyId !== null && this.release(historyId, now));
    return effects.some(({ isChange }) => isChange) || released.includes(true);
  }

  /** Joins a history to another one. What that passes is marked as taken. */
  join({ id, historyId }: NameRow, to: number, kind: 'joined' | 'merged', { by, rules, now }: Source): void {
    const rows = { from: historyId, to };
    const passed = this.passing.passedBy(rows, rules);
    const changeId = this.names.trace({ kind, nameId: id, historyId: to, by, now });
    this.rows.join(rows, changeId);
    this.passing.mark(to, passed, changeId);
  }

  private release(historyId: number, now: number): boolean {
    return this.holding.release(historyId, now);
  }

  private storeOne(player: SeenPlayer, source: Source): Effect {
    const kind = playerUuidKind(player.uuid);
    // A Bedrock player with a linked Java account is shown without a prefix.
    if (kind === null || (kind === 'online' && hasBedrockPrefix(player.name))) return NOTHING;
    const seen: Seen = { ...player, kind, key: playerKey(player.name) };
    const name = this.names.find(seen.key);
    const uuid = this.names.withUuid(kind, seen.uuid);
    const effect =
      uuid === null ? this.storeNew(seen, name, source) : this.storeKnown(seen, name, uuid, source);
    if (effect.historyId === null) return effect;
    const nameId = this.names.find(seen.key)?.id ?? 0;
    this.names.setSeen(nameId, source.now);
    this.names.payAs(effect.historyId, seen.name);
    return effect;
  }

  /** A UUID that was never seen: of the name's player, if they have none of its kind, and of a new one otherwise. */
  private storeNew(seen: Seen, name: NameRow | null, source: Source): Effect {
    const isOwners =
      name !== null && name.playerId === null && !this.names.uuidKinds(name.historyId).has(seen.kind);
    const isTaken = name !== null && !isOwners;
    if (isTaken) this.take(name, source);
    const id = isOwners ? name.id : this.names.add(seen.key, null);
    this.names.addUuid(id, seen.kind, seen.uuid);
    return { historyId: isOwners ? name.historyId : id, isChange: isTaken };
  }

  private storeKnown(seen: Seen, name: NameRow | null, { historyId }: KnownUuid, source: Source): Effect {
    if (name?.historyId === historyId) return { historyId, isChange: false };
    if (name === null) {
      if (!this.mayHave(historyId, seen)) return NOTHING;
      const nameId = this.names.add(seen.key, historyId);
      this.names.trace({ kind: 'joined', nameId, historyId, ...source });
      return { historyId, isChange: true };
    }
    if (name.apartFrom === historyId) return NOTHING;
    if (this.names.uuidKinds(name.historyId).size > 0) return this.takeFor(seen, name, historyId, source);
    if (!this.mayHave(historyId, seen)) return NOTHING;
    this.join(name, historyId, 'joined', source);
    return { historyId, isChange: true };
  }

  /** Another player's name is this player's now. */
  private takeFor({ key }: Seen, name: NameRow, historyId: number, source: Source): Effect {
    this.take(name, source);
    const before = this.names.giveBack(key, historyId);
    const nameId = before ?? this.names.add(key, historyId);
    this.names.trace({ kind: before === null ? 'joined' : 'name-back', nameId, historyId, ...source });
    return { historyId, isChange: true };
  }

  /** The row with the votes stays with the old player. */
  private take({ id, historyId }: NameRow, { by, now }: Source): void {
    this.names.giveUp(id, now);
    this.names.trace({ kind: 'name-taken', nameId: id, historyId, by, now });
    this.names.payAs(historyId, null);
    this.holding.hold(historyId, now);
  }

  /** A name with a Bedrock prefix and one without are never joined. */
  private mayHave(historyId: number, { name }: Seen): boolean {
    return this.names.keysOf(historyId).some((key) => hasBedrockPrefix(key) === hasBedrockPrefix(name));
  }
}
