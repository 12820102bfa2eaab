import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

const VERIFIES = spawnSync('systemd-analyze', ['--version']).status === 0;

/** With a user and a program that exist here. */
const unit = readFileSync(join(import.meta.dirname, '../../docs/operators/teller.service'), 'utf8')
  .replace(/^(User|Group)=teller$/gm, '$1=root')
  .replace('ExecStart=teller', `ExecStart=${process.execPath}`);

const verified = (text: string) => {
  const folder = temporaryFolder({ 'teller.service': text });
  return spawnSync('systemd-analyze', ['verify', join(folder, 'teller.service')], { encoding: 'utf8' });
};

test.skipIf(!VERIFIES)(
  'the unit of the page about the service passes systemd-analyze verify without a word',
  () => {
    const { status, stdout, stderr } = verified(unit);
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  },
);

test.skipIf(!VERIFIES)('it would not pass with a misspelled directive', () => {
  expect(verified(unit.replace('ProtectSystem', 'ProtectSytem')).stderr).toContain('ProtectSytem');
});
