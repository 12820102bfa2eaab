import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  practiceAddressFile,
  readPracticeAddress,
  removePracticeAddress,
  writePracticeAddress,
} from '../../src/practice/address-file.ts';

const ADDRESS = { host: '127.0.0.1', port: 4_711, password: 'secret' };

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'teller-address-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('reads what was written, and null after it was removed', async () => {
  const at = path.join(folder(), 'new', 'folder');
  await writePracticeAddress(at, 'main', ADDRESS);
  expect(practiceAddressFile(at, 'main')).toBe(path.join(at, 'practice-main.json'));
  expect(await readPracticeAddress(at, 'main')).toEqual(ADDRESS);
  expect(await readPracticeAddress(at, 'other')).toBe(null);
  await removePracticeAddress(at, 'main');
  expect(await readPracticeAddress(at, 'main')).toBe(null);
});

it('makes the file readable only by its owner, even if the file already existed', async () => {
  const at = folder();
  writeFileSync(practiceAddressFile(at, 'main'), '{}', { mode: 0o644 });
  await writePracticeAddress(at, 'main', ADDRESS);
  expect(statSync(practiceAddressFile(at, 'main')).mode & 0o777).toBe(0o600);
});

it('the address file stays inside the folder, whatever the server’s name', () => {
  expect(path.dirname(practiceAddressFile('/data', '../../etc/x'))).toBe('/data');
});
