/**
 * The commands that a game server did not know, twice, as long as the connection lasts on which it said so. A reward
 * with a slip in it then costs one new connection, and not one for each vote.
 */
export class UnknownCommands {
  private connection: object | null = null;
  private readonly names = new Set<string>();

  /** The commands that follow are written to this connection; what was said on another one is forgotten. */
  heldBy(connection: object): void {
    if (connection !== this.connection) this.names.clear();
    this.connection = connection;
  }

  add(command: string): void {
    this.names.add(nameOf(command));
  }

  has(command: string): boolean {
    return this.names.has(nameOf(command));
  }
}

const nameOf = (command: string): string => (command.split(' ', 1)[0] ?? '').toLowerCase();
