import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unitText } from '../../src/platform/service/unit.ts';
import { temporaryFolder } from '../support/folder.ts';

const VERIFIES = spawnSync('systemd-analyze', ['--version']).status === 0;

/** A unit that can be verified here: with a user, a Node and a file that exist. */
const unitHere = (script: string) => unitText({ node: process.execPath, script }, 'root');

const verified = (unit: string) => {
  const folder = temporaryFolder({ 'teller.service': unit });
  return spawnSync('systemd-analyze', ['verify', join(folder, 'teller.service')], { encoding: 'utf8' });
};

describe('the unit', () => {
  const unit = unitText({ node: '/usr/bin/node', script: '/opt/teller/dist/cli.js' }, 'teller');
  const lines = unit.split('\n');

  test.each([
    'ExecStart="/usr/bin/node" "/opt/teller/dist/cli.js" run',
    'User=teller',
    'Type=notify',
    'NotifyAccess=all',
    'StateDirectory=teller',
    'WorkingDirectory=%S/teller',
    'ProtectSystem=strict',
    'Restart=always',
    'RestartPreventExitStatus=2',
  ])('has %s', (line) => {
    expect(lines).toContain(line);
  });

  test.each(['WatchdogSec', 'MemoryDenyWriteExecute'])('has no %s', (directive) => {
    expect(unit).not.toContain(directive);
  });

  test('quotes paths as systemd reads them', () => {
    expect(unitText({ node: '/n', script: '/a b/100%/$x/"y"\\z.js' }, 'teller')).toContain(
      'ExecStart="/n" "/a b/100%%/$$x/\\"y\\"\\\\z.js" run',
    );
  });

  test.skipIf(!VERIFIES)('passes systemd-analyze verify without a word', () => {
    const { status, stdout, stderr } = verified(unitHere('/opt/teller/dist/cli.js'));
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test.skipIf(!VERIFIES)('would not pass with a misspelled directive', () => {
    const { stderr } = verified(unitHere('/x').replace('ProtectSystem', 'ProtectSytem'));
    expect(stderr).toContain('ProtectSytem');
  });
});
