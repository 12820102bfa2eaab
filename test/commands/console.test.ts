import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Desk, desk } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { naming } from '../support/naming.ts';
import { runningConsole } from '../support/running-console.ts';

const PASSWORD = 'correct horse battery';

/** Sets the password from a file with this text, as in a panel's console, where nobody can be asked. */
async function password({ folder, run }: Pick<Desk, 'folder' | 'run'>, text = `${PASSWORD}\n`) {
  const file = join(folder, 'password.txt');
  writeFileSync(file, text);
  const ran = await run('console', 'password', '--password-file', file);
  return { ...ran, hashFile: join(folder, 'data/secrets/console.password') };
}

/** A Teller with a console, and what is typed there. */
async function running() {
  const { config, folder, console, visitor } = await runningConsole(systemClock);
  const run = (...words: readonly string[]) => typed(words, config);
  return { config, folder, console, visitor, run };
}

const signsIn = async ({ visitor }: Awaited<ReturnType<typeof running>>): Promise<boolean> => {
  const browser = visitor();
  await browser.get('/sign-in');
  return (await browser.post('/sign-in', { password: PASSWORD })).to === '/';
};

test('`console open` prints the link of the running Teller, and at a terminal opens a browser, unless it is told to print only', async () => {
  const { config, console, run } = await running();
  const printed = { out: console.link, asked: [] };
  expect(await run('console', 'open')).toMatchObject(printed);
  const opened = { out: console.link, asked: [`open ${console.link}`] };
  expect(await typed(['console', 'open'], config, systemClock, {})).toMatchObject(opened);
  expect(await typed(['console', 'open', '--print'], config, systemClock, {})).toMatchObject(printed);
});

test('without a running Teller it says so', async () => {
  expect(await desk().run('console', 'open')).toMatchObject({ exit: 1, err: naming('[console-not-served]') });
});

test('`console password` stores a hash that only its owner can read, and names its file in the config', async () => {
  const one = desk();
  const { exit, hashFile } = await password(one);
  expect([exit, statSync(hashFile).mode & 0o777]).toEqual([0, 0o600]);
  expect(readFileSync(hashFile, 'utf8')).toMatch(/^\$scrypt\$/);
  expect(JSON.parse(readFileSync(one.config, 'utf8')).console).toEqual({
    ...{ port: 0, password: 'file:data/secrets/console.password' },
  });
});

test('the password opens the console of the running Teller at once, without the line break at the end of its file', async () => {
  const one = await running();
  expect((await password(one, `${PASSWORD}\r\n`)).exit).toBe(0);
  expect(await signsIn(one)).toBe(true);
});

test('a console that other machines can reach needs a password first, which can be set then', async () => {
  expect((await password(desk({ console: { host: '0.0.0.0', port: 0 } }))).exit).toBe(0);
});

test('a password of nine characters is refused', async () => {
  const { exit, err, hashFile } = await password(desk(), 'ninechars\n');
  expect([exit, err, existsSync(hashFile)]).toEqual([2, naming('[usage]'), false]);
});

test('a hash in an environment variable is changed there', async () => {
  const one = desk({ console: { password: 'env:TELLER_TEST_HASH' } });
  expect(await password(one)).toMatchObject({ exit: 2, err: naming('[password-elsewhere]') });
});
