import { Problem } from './problem.ts';

/** A secret. It prints as `(secret)`, so that it cannot reach a log by accident (rule 10). */
export class Secret {
  readonly #value: string | null;
  /** A running process keeps the environment it was started with, so a new value takes effect only after a restart. */
  readonly isFromEnvironment: boolean;

  constructor(
    value: string | null,
    /** Why there is no value; null: there is one. */
    readonly missing: string | null = null,
    isFromEnvironment = false,
  ) {
    this.#value = value;
    this.isFromEnvironment = isFromEnvironment;
  }

  /** A secret that could not be read, for commands that do not need it (`loadConfig`). */
  static missing(sentence: string): Secret {
    return new Secret(null, sentence);
  }

  /** @throws Problem `secret-missing` */
  reveal(): string {
    if (this.#value === null) throw new Problem('secret-missing', this.missing ?? 'a secret is missing');
    return this.#value;
  }

  toString(): string {
    return '(secret)';
  }

  toJSON(): string {
    return '(secret)';
  }
}
