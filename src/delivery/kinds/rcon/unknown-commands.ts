/**
 * Remembers the commands that a game server twice did not know, until the connection closes on which it said so. This
 * way a reward with a typo costs one new connection instead of one for each vote.
 */
export class UnknownCommands {
  private connection: object | null = null;
  private readonly names = new Set<string>();

  /** Commands are sent on this connection from now on. What was learned on another one is forgotten. */
  useConnection(connection: object): void {
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
