/** What the client needs of a shared schema; this layer knows zod only through the schemas. */
export interface Reader<Value> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a schema returns. */
export type OutputOf<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];
