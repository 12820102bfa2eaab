import { addressGroup } from '../core/address.ts';

export interface OpenConnection {
  readonly address: string;
  /** Closes it to make room. */
  crowdOut(): void;
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/**
 * Rule 11: at a cap the oldest connection without a whole request goes, from the busiest address first, and the
 * newcomer is served. One whose vote is being stored never goes.
 */
export class OpenConnections {
  private readonly limits: ConnectionLimits;
  /** Without a whole request, by address, oldest first (sets keep their order). */
  private readonly reading = new Map<string, Set<OpenConnection>>();
  private readonly everyone = new Set<OpenConnection>();

  constructor(limits: ConnectionLimits) {
    this.limits = limits;
  }

  get all(): readonly OpenConnection[] {
    return [...this.everyone];
  }

  /** Makes room and takes it in. False where everybody present has a whole request: then it cannot be served. */
  add(connection: OpenConnection): boolean {
    const own = this.reading.get(addressGroup(connection.address));
    if (own !== undefined && own.size >= this.limits.maxConnectionsPerAddress) this.close(oldest(own));
    if (this.everyone.size >= this.limits.maxConnections) {
      const busiest = this.busiest();
      if (busiest === undefined) return false;
      this.close(oldest(busiest));
    }
    const group = this.reading.get(addressGroup(connection.address)) ?? new Set();
    this.reading.set(addressGroup(connection.address), group.add(connection));
    this.everyone.add(connection);
    return true;
  }

  /** Its request has come whole. */
  hasRequest(connection: OpenConnection): void {
    const group = this.reading.get(addressGroup(connection.address));
    group?.delete(connection);
    if (group?.size === 0) this.reading.delete(addressGroup(connection.address));
  }

  remove(connection: OpenConnection): void {
    this.hasRequest(connection);
    this.everyone.delete(connection);
  }

  private busiest(): Set<OpenConnection> | undefined {
    let busiest: Set<OpenConnection> | undefined;
    for (const group of this.reading.values()) {
      if (busiest === undefined || group.size > busiest.size) busiest = group;
    }
    return busiest;
  }

  private close(connection: OpenConnection): void {
    this.remove(connection);
    connection.crowdOut();
  }
}

/** A group is never empty. */
const oldest = (group: ReadonlySet<OpenConnection>): OpenConnection => {
  const [first] = group;
  return first as OpenConnection;
};
