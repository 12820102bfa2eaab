import { type ProblemCode, problems } from './problems.ts';

export type { ProblemCode } from './problems.ts';

/** An error written for the operator: `code` is stable, `message` says what is wrong and what to do. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
    this.name = 'Problem';
  }

  get exit(): 1 | 2 {
    return problems[this.code].exit;
  }
}
