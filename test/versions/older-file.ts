import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import type { Schema } from '../../src/sqlite/open.ts';

export type Kind = 'ledger' | 'listing';

export const schemas: Readonly<Record<Kind, Schema>> = { ledger: ledgerSchema, listing: listingSchema };

export const FOLDER = join(import.meta.dirname, 'files');

export const nameOf = (kind: Kind, version: number): string => `${kind}-${version}.db.gz`;

export const newestOf = (kind: Kind): number => schemas[kind].migrations.length;

/** The bytes of a file as that version left it. They are kept, so that a step that is changed later is noticed. */
export const olderFile = (kind: Kind, version: number): Buffer =>
  gunzipSync(readFileSync(join(FOLDER, nameOf(kind, version))));
