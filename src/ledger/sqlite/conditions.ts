type Value = string | number;
/** A condition with its value, or with one value for each `?` in it. */
export type Conditions = readonly (readonly [
  condition: string,
  value: Value | readonly Value[] | undefined,
])[];

/** A part of a statement, and the values for each `?` in it. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** A WHERE clause of those conditions that have a value. */
export function whereOf(conditions: Conditions): Clause {
  const given = conditions.filter(([, value]) => value !== undefined);
  const { sql, values } = allOf(given);
  return { sql: given.length === 0 ? '' : `WHERE ${sql}`, values };
}

/** Whether those conditions that have a value are all true. */
export function allOf(conditions: Conditions): Clause {
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    sql: given.length === 0 ? '1' : given.map(([condition]) => condition).join(' AND '),
    values: given.flatMap(([, value]) => value as Value | readonly Value[]),
  };
}
