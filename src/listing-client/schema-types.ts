/** What the client needs of a shared schema; its floor knows zod through the schemas only. */
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

/** What may be written for a schema: with what has a default left out. */
export type InputOf<Schema extends { _zod: { input: unknown } }> = Schema['_zod']['input'];
/** What a schema reads. */
export type OutputOf<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];
