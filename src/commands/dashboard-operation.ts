/** What the user typed: arguments in order, and flags by name. */
export interface Given {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

export interface Operation {
  readonly name: string;
  readonly does: string;
  readonly arguments?: readonly (readonly [syntax: string, means: string])[];
  readonly options?: readonly (readonly [flags: string, means: string])[];
  /** A question to confirm first. */
  readonly question?: string;
  /** Which listing the operation is about: one that the account manages, any listing, or none. */
  readonly about: 'own' | 'any' | 'none';
  /** The page's path, relative to the listing's path if the operation is about one. */
  readonly page: string | ((given: Given) => string);
  /** The path that the page's form is posted to; absent if the page is only read. */
  readonly form?: string;
  readonly fields?: (given: Given) => Fields | Promise<Fields>;
  /** The key of the answer whose value is printed as rows. */
  readonly rows?: string;
  /** The columns of the printed table. */
  readonly columns?: readonly string[];
}

export const word = ({ words }: Given, index = 0): string => words[index] ?? '';
export const flag = ({ flags }: Given, name: string): string | undefined => flags[name] as string | undefined;
