import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tellReady } from '../../src/platform/tell-ready.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/logged-lines.ts';

/** A folder with a program in the place of systemd-notify. */
function notifier(script: string): { folder: string; PATH: string } {
  const folder = temporaryFolder({ 'systemd-notify': `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  return { folder, PATH: `${folder}:/bin:/usr/bin` };
}

test('tells systemd which process is ready', async () => {
  const { folder, PATH } = notifier('echo "$NOTIFY_SOCKET $@" > "$0.part"; mv "$0.part" "$0.told"');
  const { log, lines } = loggedLines();
  tellReady(log, { PATH, NOTIFY_SOCKET: '/run/notify' });
  const told = join(folder, 'systemd-notify.told');
  await expect.poll(() => existsSync(told)).toBe(true);
  expect(readFileSync(told, 'utf8')).toBe(`/run/notify --ready --pid=${process.pid}\n`);
  expect(lines).toEqual([]);
});

test.each([
  ['systemd-notify fails', () => notifier('exit 3').PATH, { exit: 3 }],
  ['there is no systemd-notify', () => temporaryFolder(), { error: expect.stringContaining('ENOENT') }],
])('if %s, only logs it', async (_, path, facts) => {
  const { log, lines, codes } = loggedLines();
  tellReady(log, { PATH: path(), NOTIFY_SOCKET: '/run/notify' });
  await expect.poll(() => codes('warn')).toEqual(['notify-failed']);
  expect(lines[0]?.fields).toMatchObject(facts);
});

test('starts nothing where systemd does not ask', () => {
  const { log, lines } = loggedLines();
  tellReady(log, { PATH: temporaryFolder() });
  expect(lines).toEqual([]);
});
