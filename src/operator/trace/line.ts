/** One line of a trace: what it is about, and a sentence without terminal control characters. */
export interface Line {
  readonly about: string;
  readonly text: string;
}
