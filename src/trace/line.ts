/** One line of a trace: what it is about, and a sentence. Sentences hold nothing that could steer a terminal. */
export interface Line {
  readonly about: string;
  readonly text: string;
}
