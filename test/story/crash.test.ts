import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashRun } from '../crash/crash-run.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TSX } from '../support/processes.ts';

const CLI = join(import.meta.dirname, '../../src/cli.ts');

/** `npm run test:crash` does the same with 200 kills and a seed of chance. */
test('killed six times while votes pour in by all roads, it has recorded what it answered, and run nothing twice', {
  timeout: 120_000,
}, async () => {
  const command = [process.execPath, '--import', TSX, CLI];
  const report = await crashRun({ command, folder: temporaryFolder(), kills: 6, seed: 20_261_121 });
  expect(report.broken).toEqual([]);
  expect(report).toMatchObject({ kills: 6 });
  expect(report.answered).toBeGreaterThan(0);
  expect(report.commandsRun).toBeGreaterThan(0);
});
