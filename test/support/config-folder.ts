import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { ledgerInProcess } from '../../src/ledger/sqlite/in-process.ts';
import { openLedgerFile } from '../../src/ledger/sqlite/open.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from './folder.ts';

export const TOKEN = 'test-token-of-thirty-two-characters';

/**
 * A folder with a config that listens on a free loopback port; `overrides` replace top-level keys. It has a key pair
 * too.
 */
export function configFolder(overrides: object = {}): { folder: string; config: string; ledger: string } {
  const folder = temporaryFolder();
  const config = join(folder, 'config.json');
  writeConfig(config, overrides);
  writeKeyPair(join(folder, 'data/keys'));
  return { folder, config, ledger: join(folder, 'data/teller.db') };
}

/** Writes the key pair of all tests of a run, because creating one takes a fifth of a second. */
export function writeKeyPair(folder: string): void {
  const { privateKey, publicKey } = inject('keyPair');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'private.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'public.key'), publicKey);
}

export function writeConfig(file: string, overrides: object): void {
  const base = {
    listener: { host: '127.0.0.1', port: 0 },
    console: { port: 0 },
    sites: { default: { token: TOKEN } },
    gameServers: { main: { kind: 'practice', joinDelay: '0s' } },
    rewards: [
      { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
      { name: 'daily', commands: ['give {player} diamond 1'] },
    ],
  };
  writeFileSync(file, JSON.stringify({ ...base, ...overrides }), { mode: 0o600 });
}

/** Opens the ledger of a running or ended Teller for reading. */
export function lookInto(file: string): Ledger {
  const ledger = ledgerInProcess(openLedgerFile({ file, mode: 'read' }), { clock: systemClock });
  onTestFinished(() => ledger.close());
  return ledger;
}
