/** One row of a table of another plugin, or what stands for one. */
export interface Row {
  /** Where it is in its file, such as `line 12`; empty if the file has one row. */
  readonly at: string;
  /** Values by column; null is NULL. */
  readonly values: ReadonlyMap<string, string | null>;
}

/** A row that cannot be read. The others still can. */
export interface RowFault {
  readonly at: string;
  /** The end of a sentence, such as: has 3 values for 4 columns. */
  readonly why: string;
}

export const isRowFault = (found: Row | RowFault): found is RowFault => 'why' in found;

/** A row of these columns and values, or the fault if their numbers differ. */
export function rowOf(
  at: string,
  columns: readonly string[],
  values: readonly (string | null)[],
): Row | RowFault {
  if (columns.length !== values.length) {
    return { at, why: `has ${values.length} values for ${columns.length} columns` };
  }
  return { at, values: new Map(columns.map((column, index) => [column, values[index] ?? null])) };
}
