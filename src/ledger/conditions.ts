type Conditions = readonly (readonly [condition: string, value: string | number | undefined])[];

/** A WHERE clause of those conditions that have a value, and their values. */
export function whereOf(conditions: Conditions): { where: string; values: (string | number)[] } {
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    where: given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`,
    values: given.map(([, value]) => value as string | number),
  };
}
