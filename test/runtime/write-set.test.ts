import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOR_ALL, OWNER_ONLY, writeWhole } from '../../src/platform/write-file.ts';
import { writeSet } from '../../src/platform/write-set.ts';
import { temporaryFolder } from '../support/folder.ts';

const isRoot = process.getuid?.() === 0;

test('ignores files left by a killed process with the same ID', async () => {
  const folder = temporaryFolder({ a: 'before' });
  const file = join(folder, 'a');
  writeFileSync(`${file}.${process.pid}.draft`, 'left');
  writeFileSync(`${file}.${process.pid}.old`, 'left');
  await writeSet([{ file, text: 'after', mode: FOR_ALL, oldTo: null }]);
  expect(readFileSync(file, 'utf8')).toBe('after');
  expect(readdirSync(folder)).not.toContain(`a.${process.pid}.old`);
});

test.runIf(isRoot)('a file that root replaces keeps its owner', async () => {
  const file = join(temporaryFolder({ a: 'before' }), 'a');
  chownSync(file, 12_345, 12_346);
  await writeSet([{ file, text: 'set', mode: OWNER_ONLY, oldTo: null }]);
  expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346 });
  await writeWhole(file, 'whole', OWNER_ONLY);
  expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346 });
});
