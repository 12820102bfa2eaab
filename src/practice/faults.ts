/**
 * The faults that can be switched on, each seen on a real server. Without a fault the practice server answers as
 * vanilla does: type 0, pieces of 4,096 characters, `Unknown request` for an unknown type.
 */
export const faults = {
  'type-2-replies':
    'Replies have type 2 and are followed by an empty frame of the same id; an unknown request type closes the connection.',
  'pieces-of-2048': 'Replies are split every 2,048 bytes, even in the middle of a character.',
  'one-frame':
    'A reply is one frame of any size, an unknown request type is not answered, and a third request at once is lost.',
  'reads-once': 'One read of up to 1,460 bytes must be exactly one packet, or the connection is closed.',
  'wrong-password-closes': 'A wrong password closes the connection instead of being answered with id -1.',
  'close-after-login': 'The connection is closed right after a login was accepted.',
  'close-before-running': 'The connection is closed when a command arrives, and the command is not run.',
  'unknown-command':
    'A command other than `list` is not run, but answered as unknown, as plugins do while a server stops.',
  'silent-without-running': 'A command is neither run nor answered.',
  'run-and-close': 'A command is run and the connection is closed without a reply.',
  'run-and-silent': 'A command is run and never answered.',
  'slow-reply': 'A command is run at once and answered late.',
  'late-frame': 'A frame with the id of the previous request comes before each reply.',
  'half-reply': 'A command is run, half of its reply is sent, and the connection is closed.',
  'empty-reply': 'A command is run, but its reply is empty.',
  'no-empty-frames': 'A command without output is run and not answered at all.',
  'empty-frame-first': 'An empty frame of the same id comes before each reply.',
  'garbage-length': 'A command is run and answered with a frame whose length field is -4.',
  'two-line-list': 'The list has the form before 1.13, in two lines, and no name with `minecraft:` is known.',
  'players-list': 'The list has the form `Players (N): a, b`, and no name with `minecraft:` is known.',
  'translated-list': 'The list is in German.',
  'miscounted-list': 'The list states one player more than it names.',
  'reshaped-list': 'A plugin reshapes `list`; `minecraft:list` stays as it is.',
  'team-prefix':
    'The list shows `~` before each name, like a scoreboard team’s prefix; `list uuids` does not.',
  'no-list-uuids': '`list` takes no argument.',
  'no-minecraft-names': 'No command name with `minecraft:` is known.',
  'no-execute': 'The command `execute` is not known.',
} as const satisfies Record<string, string>;

export type FaultName = keyof typeof faults;

export const isFaultName = (text: string): text is FaultName => Object.hasOwn(faults, text);

/** The faults that affect one command or login. */
export interface ActiveFaults {
  /** Whether the fault applies this time. */
  take(name: FaultName): boolean;
}

const ALWAYS = Number.POSITIVE_INFINITY;
/** Questions that a client asks before it pays. Limited faults skip them, so that they affect the reward's command. */
const QUESTION = /^(?:minecraft:)?(?:list\b|execute (?:in \S+ )?if (?:entity|score)\b(?!.* run ))/;

/** The faults that are on. Each applies until it is cleared or for a number of times. */
export class FaultSwitches {
  private readonly left = new Map<FaultName, number>();

  /**
   * @param times how many commands that change something (or logins, for a login's faults) it affects; absent: all.
   */
  set(name: FaultName, times = ALWAYS): void {
    this.left.set(name, times);
  }

  clear(): void {
    this.left.clear();
  }

  isOn(name: FaultName): boolean {
    return this.left.has(name);
  }

  /** Whether the fault applies, which uses up one of its times. */
  take(name: FaultName): boolean {
    const left = this.left.get(name);
    if (left === undefined) return false;
    if (left > 1) this.left.set(name, left - 1);
    else this.left.delete(name);
    return true;
  }

  /** The faults for one command. A question about who is online does not use up a limited fault. */
  forCommand(command: string): ActiveFaults {
    const isQuestion = QUESTION.test(command);
    return { take: (name) => (isQuestion ? this.left.get(name) === ALWAYS : this.take(name)) };
  }

  names(): FaultName[] {
    return [...this.left.keys()];
  }
}
