import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { installedFolder } from '../support/npm.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/operators/service.md'), 'utf8');

test('the commands on the page about the service find its config, whatever folder they are typed in', () => {
  const { folder } = installedFolder();
  const elsewhere = temporaryFolder({ sudo: '#!/bin/sh\nshift 2\nexec "$@"\n' });
  chmodSync(join(elsewhere, 'sudo'), 0o755);
  const lines = page.match(/^sudo -u teller .+$/gm) ?? [];
  const check = lines.find((line) => line.endsWith('teller check')) ?? '';
  const { stdout } = spawnSync('sh', ['-c', check.replace('/var/lib/teller', folder)], {
    cwd: elsewhere,
    env: { ...process.env, PATH: `${elsewhere}:${folder}/node_modules/.bin:${process.env['PATH']}` },
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^ok +config +/m);
  expect(lines.filter((line) => !line.startsWith(check.replace(/check$/, '')))).toEqual([]);
});
