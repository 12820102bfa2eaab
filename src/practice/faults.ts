/**
 * Every way in which the practice server can behave unlike itself, each seen on a real server. By
 * itself it answers as vanilla does: type 0, pieces of 4,096 characters, `Unknown request` for an unknown type.
 */
export const faults = {
  'type-2-replies':
    'Replies have type 2 and an empty frame of the same id follows; an unknown request type closes the connection.',
  'pieces-of-2048': 'Replies are cut every 2,048 bytes, inside a character if need be.',
  'one-frame':
    'A reply is one frame of any size, an unknown request type is not answered, a third request at once is lost.',
  'reads-once': 'One read of up to 1,460 bytes must be exactly one packet, or the connection is closed.',
  'wrong-password-closes': 'A wrong password closes the connection instead of being answered with id -1.',
  'close-after-login': 'The connection is closed right after a login was accepted.',
  'close-before-running': 'The connection is closed when a command comes, and the command is not run.',
  'unknown-command':
    'A command other than `list` is not run, and answered as if it were unknown: as plugins do while a server stops.',
  'silent-without-running': 'A command is neither run nor answered.',
  'run-and-close': 'A command is run and the connection is closed without a reply.',
  'run-and-silent': 'A command is run and never answered.',
  'slow-reply': 'A command is run at once and answered late.',
  'late-frame': 'Before each reply comes a frame with the id of the request before it.',
  'half-reply': 'A command is run, half of its reply is sent, and the connection is closed.',
  'empty-reply': 'A command is run and answered with nothing in the reply.',
  'no-empty-frames': 'A command without output is run and not answered at all.',
  'empty-frame-first': 'An empty frame of the same id comes before each reply.',
  'garbage-length': 'A command is run and answered with a frame that announces length -4.',
  'two-line-list': 'The list has the form before 1.13, in two lines, and no name with `minecraft:` is known.',
  'players-list': 'The list has the form `Players (N): a, b`, and no name with `minecraft:` is known.',
  'translated-list': 'The list is in German.',
  'miscounted-list': 'The list announces one player more than it names.',
  'reshaped-list': 'A plugin reshapes `list`; `minecraft:list` stays as it is.',
  'team-prefix': 'The list shows `~` before each name, as of a scoreboard team; `list uuids` does not.',
  'no-list-uuids': '`list` takes no argument.',
  'no-minecraft-names': 'No command name with `minecraft:` is known.',
  'no-execute': 'The command `execute` is not known.',
} as const satisfies Record<string, string>;

export type FaultName = keyof typeof faults;

export const isFaultName = (text: string): text is FaultName => Object.hasOwn(faults, text);

/** Something that faults can strike. */
export interface Occasion {
  /** Whether the fault shows this time. */
  take(name: FaultName): boolean;
}

const ALWAYS = Number.POSITIVE_INFINITY;
/** What a client asks before it pays, so that a fault meant for a reward's command strikes that command. */
const QUESTION = /^(?:minecraft:)?(?:list\b|execute if entity \S+$)/;

/** Which faults are on, each for good or for a number of occasions. */
export class FaultSwitches {
  private readonly left = new Map<FaultName, number>();

  /**
   * @param times on how many occasions (commands that change something, or logins for a login's faults) it shows;
   * absent: always.
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

  /** Whether it shows on this occasion, which is thereby used up. */
  take(name: FaultName): boolean {
    const left = this.left.get(name);
    if (left === undefined) return false;
    if (left > 1) this.left.set(name, left - 1);
    else this.left.delete(name);
    return true;
  }

  /** The faults as a command meets them: a question about who is online uses up none that is on for a few times. */
  meeting(command: string): Occasion {
    const isQuestion = QUESTION.test(command);
    return { take: (name) => (isQuestion ? this.left.get(name) === ALWAYS : this.take(name)) };
  }

  names(): FaultName[] {
    return [...this.left.keys()];
  }
}
