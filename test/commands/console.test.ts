import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { consoleCommand } from '../../src/commands/console.ts';
import { Problem } from '../../src/core/problem.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { configFolder, writeConfig } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { runningConsole } from '../support/running-console.ts';
import { runCommand } from './run-command.ts';

const PASSWORD = 'correct horse battery';

interface Given {
  readonly interactive?: boolean;
  readonly typed?: string;
}

async function typed(words: readonly string[], { interactive = false, typed = PASSWORD }: Given = {}) {
  const terminal = fakeTerminal(interactive);
  const opened: string[] = [];
  const command = consoleCommand(terminal, {
    ...{ clock: systemClock, random: systemRandom },
    askPassword: async (_terminal, _source, faultOf) => {
      const fault = faultOf(typed);
      if (fault !== null) throw new Problem('usage', fault);
      return typed;
    },
    open: async (url) => {
      opened.push(url);
      return true;
    },
  });
  process.exitCode = 0;
  await command.parseAsync([...words], { from: 'user' });
  const { exitCode } = process;
  process.exitCode = 0;
  return { ...terminal, opened, exitCode };
}

test('`console open` prints the link of the running Teller', async () => {
  const { config, console } = await runningConsole(systemClock);
  const { outLines, opened } = await typed(['open', '--config', config]);
  expect([outLines, opened]).toEqual([[console.link], []]);
});

test('at a terminal it opens a browser too, unless it is told to print only', async () => {
  const { config, console } = await runningConsole(systemClock);
  expect((await typed(['open', '--config', config], { interactive: true })).opened).toEqual([console.link]);
  const printed = await typed(['open', '--print', '--config', config], { interactive: true });
  expect([printed.outLines, printed.opened]).toEqual([[console.link], []]);
});

test('without a running Teller it says so', async () => {
  const { config } = configFolder();
  const { errLines, exitCode } = await typed(['open', '--config', config]);
  expect([errLines.join().includes('[console-not-served]'), exitCode]).toEqual([true, 1]);
});

test('`console password` stores a hash that only its owner can read, and names its file in the config', async () => {
  const { config, folder } = configFolder();
  await typed(['password', '--config', config]);
  const file = join(folder, 'data/secrets/console.password');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(config, 'utf8')).console).toEqual({
    port: 0,
    password: 'file:data/secrets/console.password',
  });
  const hash = readFileSync(file, 'utf8').trim();
  expect(await new Passwords(systemRandom).matches(PASSWORD, hash)).toBe(true);
});

test('the password opens the console of the running Teller at once', async () => {
  const { config, visitor } = await runningConsole(systemClock);
  await typed(['password', '--config', config]);
  const browser = visitor();
  await browser.get('/sign-in');
  expect((await browser.post('/sign-in', { password: PASSWORD })).to).toBe('/');
});

test('a console that other machines can reach needs a password first, which can be set then', async () => {
  const { config } = configFolder();
  writeConfig(config, { console: { host: '0.0.0.0', port: 0 } });
  expect((await typed(['password', '--config', config])).exitCode).toBe(0);
});

test('a password of nine characters is refused', async () => {
  const { config } = configFolder();
  const { errLines, exitCode } = await typed(['password', '--config', config], { typed: 'ninechars' });
  expect([errLines.join().includes('[usage]'), exitCode]).toEqual([true, 2]);
});

/** Reads the password from a file with this text, as in a panel's console, where nobody can be asked. */
async function fromFile(text: string) {
  const { config, folder } = configFolder();
  const file = join(folder, 'password.txt');
  writeFileSync(file, text);
  const terminal = fakeTerminal();
  const command = consoleCommand(terminal, { clock: systemClock, random: systemRandom });
  const { exit, err } = await runCommand(command, terminal, [
    ...['password', '--config', config, '--password-file', file],
  ]);
  return { exit, err, hashFile: join(folder, 'data/secrets/console.password') };
}

test('a password can come from a file, without the line break at its end', async () => {
  const { exit, hashFile } = await fromFile(`${PASSWORD}\r\n`);
  const hash = readFileSync(hashFile, 'utf8').trim();
  expect([exit, await new Passwords(systemRandom).matches(PASSWORD, hash)]).toEqual([0, true]);
});

test('a password of nine characters in a file is refused', async () => {
  const { exit, err, hashFile } = await fromFile('ninechars\n');
  expect([exit, err.includes('[usage]'), existsSync(hashFile)]).toEqual([2, true, false]);
});

test('a hash in an environment variable is changed there', async () => {
  const { config } = configFolder({ console: { password: 'env:TELLER_TEST_HASH' } });
  const { errLines, exitCode } = await typed(['password', '--config', config]);
  expect([errLines.join().includes('[password-elsewhere]'), exitCode]).toEqual([true, 2]);
});
