/** What somebody typed: arguments in order, and flags by name. */
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
  /** Asked before it is done. */
  readonly question?: string;
  /** Which listing it is about: one that the account looks after, any one, or none. */
  readonly about: 'own' | 'any' | 'none';
  /** The page, below the listing's address where it is about one. */
  readonly page: string | ((given: Given) => string);
  /** Where the page's form goes; without it the page is only read. */
  readonly form?: string;
  readonly fields?: (given: Given) => Fields | Promise<Fields>;
  /** The part of the answer that is listed as rows. */
  readonly rows?: string;
  /** For a person: the columns of the rows, and in their place what is worth a line. */
  readonly columns?: readonly string[];
}

export const word = ({ words }: Given, index = 0): string => words[index] ?? '';
export const flag = ({ flags }: Given, name: string): string | undefined => flags[name] as string | undefined;
