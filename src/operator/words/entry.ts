/** One entry of `rewards`, `party`, `tops`, `publish` or `remind` in everyday language. Sentences end with a full stop. */
export interface EntryWords {
  readonly kind: EntryKind;
  readonly name: string;
  /** When it is granted, reached or sent. */
  readonly when: readonly string[];
  /** What may be run. */
  readonly choices: readonly ChoiceWords[];
  /** How likely each choice is, such as `80% usual or 20% rare`, once all that is not drawn holds; null: nothing is drawn. */
  readonly odds: string | null;
  /** How it is paid. */
  readonly paid: readonly string[];
}

export type EntryKind = 'reward' | 'party' | 'top' | 'publish' | 'remind';

/** What is run in one case. */
export interface ChoiceWords {
  /** The case, such as `rare`, `at 10 votes` or `place 1`; null if it is the only one. */
  readonly lead: string | null;
  /** How likely it is, from 0 to 1, once all that is not drawn holds; null: it is not drawn. */
  readonly share: number | null;
  /** Empty: nothing is run. */
  readonly steps: readonly Step[];
}

export interface Step {
  /** As in the config, with its placeholders. */
  readonly command: string;
  /** What it does, if Teller composed it; null for a command of the operator. */
  readonly means: string | null;
}

export const commandSteps = (commands: readonly string[]): readonly Step[] =>
  commands.map((command) => ({ command, means: null }));
