import { addressGroup } from './address.ts';
import type { Cancel, Clock } from './clock.ts';

/** What `OpenConnections` needs of a connection. */
export interface OpenConnection {
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly openedAt: number;
  /** Closes it to make room. */
  evict(): void;
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/**
 * Connections younger than this are kept while there are older ones. A site that sends a hundred votes at once opens
 * all connections before the first is read. Without this grace period, each would be evicted for the next.
 */
const EVICTION_GRACE_MS = 1_000;

type Group = ReadonlySet<OpenConnection>;

const oldestOf = (group: Group): OpenConnection | undefined => group.values().next().value;

/**
 * Rule 11: which connection is evicted when there are too many. Answered connections, which only wait to be closed, go
 * first, then the oldest one without a complete vote from the busiest address; never one whose vote is being stored. An
 * address is considered only after the grace period of its oldest connection. Otherwise, among a thousand addresses
 * with one silent connection each, a site that sends two votes would be the busiest. An address with more than an
 * eighth of all connections gets no grace period, or a few addresses that open a thousand within a second would evict
 * every slower sender. The receiver of webhooks also uses this, with requests in place of votes.
 */
export class OpenConnections {
  private cancelTrim: Cancel | null = null;
  /** Connections without a complete vote, by address, oldest first (a set keeps its order). */
  private readonly reading = new Map<string, Set<OpenConnection>>();
  private readonly deciding = new Set<OpenConnection>();
  private readonly answered = new Set<OpenConnection>();
  private readingCount = 0;

  constructor(
    private limits: ConnectionLimits,
    private readonly clock: Clock,
  ) {}

  /** New limits apply from the next connection on; open ones stay until room is needed. */
  limit(limits: ConnectionLimits): void {
    this.limits = limits;
  }

  get size(): number {
    return this.readingCount + this.deciding.size + this.answered.size;
  }

  get all(): readonly OpenConnection[] {
    return [...[...this.reading.values()].flatMap((group) => [...group]), ...this.deciding, ...this.answered];
  }

  /** Makes room and adds the connection. False if every open connection has a complete vote: then there is no room. */
  add(connection: OpenConnection): boolean {
    this.trimAddress(
      addressGroup(connection.address),
      connection.openedAt,
      this.limits.maxConnectionsPerAddress - 1,
    );
    if (this.size >= this.limits.maxConnections && !this.makeRoom(connection.openedAt)) return false;
    this.insertReading(connection);
    this.trimLater(connection.address);
    return true;
  }

  /** The PROXY header named another address. The connection is moved to that address, in order of age. */
  readdress(connection: OpenConnection, change: () => void): void {
    this.remove(connection);
    change();
    const group = this.insertReading(connection);
    for (const younger of [...group].filter(({ openedAt }) => openedAt > connection.openedAt)) {
      group.delete(younger);
      group.add(younger);
    }
    this.trimLater(connection.address);
  }

  /** Call this when the vote is complete and is being stored: the connection is then never evicted. */
  markDeciding(connection: OpenConnection): void {
    if (this.removeReading(connection)) this.deciding.add(connection);
  }

  /** Call this when the connection has its answer and only waits to be closed. */
  markAnswered(connection: OpenConnection): void {
    this.remove(connection);
    this.answered.add(connection);
  }

  remove(connection: OpenConnection): void {
    this.removeReading(connection);
    this.deciding.delete(connection);
    this.answered.delete(connection);
  }

  /**
   * Closes connections over their address's cap, after the grace period. True while an address is still over its cap.
   */
  trim(now: number): boolean {
    const { maxConnectionsPerAddress } = this.limits;
    for (const address of [...this.reading.keys()]) this.trimAddress(address, now, maxConnectionsPerAddress);
    return [...this.reading.values()].some((group) => group.size > maxConnectionsPerAddress);
  }

  isOverCap(address: string): boolean {
    return (this.reading.get(addressGroup(address))?.size ?? 0) > this.limits.maxConnectionsPerAddress;
  }

  /** Cancels the timer. */
  end(): void {
    this.cancelTrim?.();
    this.cancelTrim = null;
  }

  private trimLater(address: string): void {
    if (!this.isOverCap(address)) return;
    this.cancelTrim ??= this.clock.after(EVICTION_GRACE_MS / 4, () => this.trimNow());
  }

  private trimNow(): void {
    const isStillOver = this.trim(this.clock.monotonic());
    this.cancelTrim = isStillOver ? this.clock.after(EVICTION_GRACE_MS / 4, () => this.trimNow()) : null;
  }

  private trimAddress(address: string, now: number, keep: number): void {
    const group = this.reading.get(address) ?? new Set();
    for (const oldest of group) {
      if (group.size <= keep || now - oldest.openedAt < EVICTION_GRACE_MS) return;
      this.close(oldest);
    }
  }

  private makeRoom(now: number): boolean {
    const [answered] = this.answered;
    const evicted = answered ?? this.oldestOfBusiest(now) ?? this.oldestOfTypical();
    if (evicted === undefined) return false;
    this.close(evicted);
    return true;
  }

  /** Considers addresses whose oldest connection is past the grace period, and those with over an eighth of all. */
  private oldestOfBusiest(now: number): OpenConnection | undefined {
    const many = this.limits.maxConnections / 8;
    let busiest: Group = new Set();
    for (const group of this.reading.values()) {
      const age = now - (oldestOf(group)?.openedAt ?? now);
      const isPastGrace = age >= EVICTION_GRACE_MS || group.size > many;
      if (isPastGrace && group.size > busiest.size) busiest = group;
    }
    return oldestOf(busiest);
  }

  /** If all connections are young: the oldest one among addresses with the most common number of connections. */
  private oldestOfTypical(): OpenConnection | undefined {
    const counts = new Map<number, number>();
    for (const { size } of this.reading.values()) counts.set(size, (counts.get(size) ?? 0) + size);
    const most = Math.max(...counts.values());
    let found: OpenConnection | undefined;
    for (const group of this.reading.values()) {
      const oldest = oldestOf(group);
      if (oldest === undefined || counts.get(group.size) !== most) continue;
      if (found === undefined || oldest.openedAt < found.openedAt) found = oldest;
    }
    return found;
  }

  private close(connection: OpenConnection): void {
    this.remove(connection);
    connection.evict();
  }

  private insertReading(connection: OpenConnection): Set<OpenConnection> {
    const address = addressGroup(connection.address);
    const group = this.reading.get(address) ?? new Set();
    this.reading.set(address, group.add(connection));
    this.readingCount++;
    return group;
  }

  private removeReading(connection: OpenConnection): boolean {
    const address = addressGroup(connection.address);
    const group = this.reading.get(address);
    if (group === undefined || !group.delete(connection)) return false;
    if (group.size === 0) this.reading.delete(address);
    this.readingCount--;
    return true;
  }
}
