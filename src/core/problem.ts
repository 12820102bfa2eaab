/**
 * What can be told to the operator as an error, each with a stable code for scripts, the exit code of a command
 * that ends on it (1: no; 2: wrong usage or config) and what it means. The sentence that is printed is written
 * where the facts are known. README's table of codes is tested against this one.
 */
export const problems = {
  'config-missing': { exit: 2, means: 'The file named by --config does not exist or cannot be read.' },
  'config-invalid': { exit: 2, means: 'The config has problems; all of them are listed with path and line.' },
  'secret-missing': { exit: 2, means: 'A secret named by env: or file: is not there, or is empty.' },
  'secret-placeholder': { exit: 2, means: 'A secret still holds an example text instead of a real value.' },
  usage: { exit: 2, means: 'The command line is not understood.' },
} as const satisfies Record<string, { exit: 1 | 2; means: string }>;

export type ProblemCode = keyof typeof problems;

/** An error written for the operator: `code` is stable, `message` says what is wrong and what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Problem';
    this.code = code;
  }

  get exit(): 1 | 2 {
    return problems[this.code].exit;
  }
}
