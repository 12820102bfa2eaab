import { addressGroup } from './address.ts';
import type { Cancel, Clock } from './clock.ts';

/** What the bookkeeping needs of a connection. */
export interface OpenConnection {
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly openedAt: number;
  /** Closes it to make room. */
  crowdOut(): void;
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/**
 * Younger connections are spared while there are others: a site that sends a hundred votes at once opens them all
 * before the first is read, and every one of them would be thrown out for the next.
 */
export const CROWD_GRACE_MS = 1_000;

type Group = ReadonlySet<OpenConnection>;

const oldestOf = (group: Group): OpenConnection | undefined => group.values().next().value;

/**
 * Rule 11: who has to go when there are too many. Connections that have said all they have to say (`settled`) go
 * first, then the oldest one without a complete vote from the busiest address; one whose vote is being stored never.
 * Busiest of those whose oldest is past the grace: with one silent connection from each of a thousand addresses, the
 * busiest of all is a site that sends two votes. Who holds more than an eighth of all there may be is past it at once:
 * else a few addresses that open a thousand within a second would throw out every sender who needs longer. What a vote
 * is to the listener, a request is to the webhook.
 */
export class OpenConnections {
  private cancelTrim: Cancel | null = null;
  /** Without a complete vote, by address, oldest first (sets keep their order). */
  private readonly reading = new Map<string, Set<OpenConnection>>();
  private readonly deciding = new Set<OpenConnection>();
  private readonly settled = new Set<OpenConnection>();
  private readingCount = 0;

  constructor(
    private limits: ConnectionLimits,
    private readonly clock: Clock,
  ) {}

  /** The new limits hold for the next connection; those that are open stay until room is needed. */
  limit(limits: ConnectionLimits): void {
    this.limits = limits;
  }

  get size(): number {
    return this.readingCount + this.deciding.size + this.settled.size;
  }

  get all(): readonly OpenConnection[] {
    return [...[...this.reading.values()].flatMap((group) => [...group]), ...this.deciding, ...this.settled];
  }

  /** Makes room and takes it in. False where everybody present has a complete vote: then it cannot be served. */
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

  /** The connection turned out to come from elsewhere (PROXY protocol). Among its new neighbours it keeps its age. */
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

  decides(connection: OpenConnection): void {
    if (this.removeReading(connection)) this.deciding.add(connection);
  }

  settles(connection: OpenConnection): void {
    this.remove(connection);
    this.settled.add(connection);
  }

  remove(connection: OpenConnection): void {
    this.removeReading(connection);
    this.deciding.delete(connection);
    this.settled.delete(connection);
  }

  /** Closes what is over its address's cap and past the grace. True while there is more to come. */
  trim(now: number): boolean {
    const { maxConnectionsPerAddress } = this.limits;
    for (const address of [...this.reading.keys()]) this.trimAddress(address, now, maxConnectionsPerAddress);
    return [...this.reading.values()].some((group) => group.size > maxConnectionsPerAddress);
  }

  isCrowded(address: string): boolean {
    return (this.reading.get(addressGroup(address))?.size ?? 0) > this.limits.maxConnectionsPerAddress;
  }

  /** No alarm is left. */
  end(): void {
    this.cancelTrim?.();
    this.cancelTrim = null;
  }

  private trimLater(address: string): void {
    if (!this.isCrowded(address)) return;
    this.cancelTrim ??= this.clock.after(CROWD_GRACE_MS / 4, () => this.trimNow());
  }

  private trimNow(): void {
    const isMoreToCome = this.trim(this.clock.monotonic());
    this.cancelTrim = isMoreToCome ? this.clock.after(CROWD_GRACE_MS / 4, () => this.trimNow()) : null;
  }

  private trimAddress(address: string, now: number, keep: number): void {
    const group = this.reading.get(address) ?? new Set();
    for (const oldest of group) {
      if (group.size <= keep || now - oldest.openedAt < CROWD_GRACE_MS) return;
      this.close(oldest);
    }
  }

  private makeRoom(now: number): boolean {
    const [lingering] = this.settled;
    const goes = lingering ?? this.oldestOfBusiest(now) ?? this.oldestOfCrowd();
    if (goes === undefined) return false;
    this.close(goes);
    return true;
  }

  /** Busiest of the addresses whose oldest is past the grace, or that hold more than an eighth. */
  private oldestOfBusiest(now: number): OpenConnection | undefined {
    const many = this.limits.maxConnections / 8;
    let busiest: Group = new Set();
    for (const group of this.reading.values()) {
      const age = now - (oldestOf(group)?.openedAt ?? now);
      const isPastGrace = age >= CROWD_GRACE_MS || group.size > many;
      if (isPastGrace && group.size > busiest.size) busiest = group;
    }
    return oldestOf(busiest);
  }

  /** Where all are young: of those whose addresses have open as many as most have, be that one or a thousand. */
  private oldestOfCrowd(): OpenConnection | undefined {
    const counts = new Map<number, number>();
    for (const { size } of this.reading.values()) counts.set(size, (counts.get(size) ?? 0) + size);
    const most = Math.max(...counts.values());
    let goes: OpenConnection | undefined;
    for (const group of this.reading.values()) {
      const oldest = oldestOf(group);
      if (oldest === undefined || counts.get(group.size) !== most) continue;
      if (goes === undefined || oldest.openedAt < goes.openedAt) goes = oldest;
    }
    return goes;
  }

  private close(connection: OpenConnection): void {
    this.remove(connection);
    connection.crowdOut();
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
