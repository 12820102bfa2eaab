import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../build/bundle.ts';
import { privateKeyText, publicKeyText } from '../../protocol/votifier/v1.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { ledgerSchema } from '../../src/ledger/schema.ts';
import { compile } from './package.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the compiled repository, from which tests start their own processes and threads. */
    compiled: string;
    /** The folder of the program, bundled as the package ships it. */
    bundled: string;
    /** The file of a ledger without votes: see `placeEmptyLedger`. */
    emptyLedger: string;
    /** The texts of one key pair of v1. */
    keyPair: { readonly privateKey: string; readonly publicKey: string };
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'teller-compiled-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    project.provide('compiled', compile(folder));
    await bundle(join(folder, 'bundle'));
    project.provide('bundled', join(folder, 'bundle'));
    project.provide('emptyLedger', newLedger(join(folder, 'empty.db')));
    project.provide('keyPair', newKeyPair());
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

function newLedger(file: string): string {
  openSqlite(file, ledgerSchema, 'create').close();
  return file;
}

function newKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey: privateKeyText(privateKey), publicKey: publicKeyText(publicKey) };
}
