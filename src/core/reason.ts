/**
 * Why something is in its state: a code from a closed table, and the values that its sentence needs. Only these are
 * stored; the sentence is composed when it is shown.
 */
export interface Reason<Code extends string = string> {
  readonly code: Code;
  readonly facts?: Facts;
}

/** Plain JSON values by name. Times are milliseconds since the Unix epoch. */
export type Facts = Readonly<Record<string, Fact>>;

export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };
