import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { serve } from '../kit/serve.ts';
import { temporaryFolder } from '../support/folder.ts';
import { typedConsole } from '../support/processes.ts';

const SOON = { timeout: 60_000, interval: 50 };

/** It accepts connections and says nothing. */
async function silentServer(onConnection: () => void = () => {}) {
  const server = createServer(onConnection);
  const port = await serve(server);
  const close = async (): Promise<void> => void (await once(server.close(), 'close'));
  return { host: '127.0.0.1', port, close };
}

/** A folder with a config. */
const place = (more: object = {}): Place => furnish(temporaryFolder(), more);

/** A config with another name than the one that commands use by default. */
function elsewhere(overrides: object = {}): { folder: string; words: string[] } {
  const { folder } = place();
  const { config } = rewrite({ folder, config: join(folder, 'other.json') }, overrides);
  return { folder: temporaryFolder(), words: ['run', '--typed', '--config', config] };
}

test('a whole day of operation works through standard input alone: first start, explain, reload, pay, stop', async () => {
  const folder = temporaryFolder();
  const config = join(folder, 'config.json');
  // As a panel installs it, which then writes the server's port into the config.
  const first = typedConsole(folder, ['run', '--typed']);
  first.process.stdin.write('stop\n');
  await first.ended();
  expect(existsSync(config)).toBe(true);
  const edit = (from: string | RegExp, to: string) =>
    writeFileSync(config, readFileSync(config, 'utf8').replace(from, to));
  edit('"port": 8192', '"port": 0');
  edit('"port": 8193', '"port": 0');

  const { ready, type, process, ended } = typedConsole(folder, ['run', '--typed']);
  const port = await ready();
  expect(await type('check')).toMatch(/ok +keys/);
  // The announcement is the first command, and may run twice.
  await type('practice fault run-and-close --for 2');
  expect(await type(`send --player Steve --port ${port}`)).toContain('[accepted]');
  await expect.poll(() => type('explain Steve'), SOON).toMatch(/grant 2 .*: held/);
  edit('"24h"', '"12h"');
  expect(await type('reload')).toMatch(/: reloaded\n {2}sites\.default/);
  await type('grants pay 2');
  await expect.poll(() => type('explain Steve'), SOON).toMatch(/grant 2 .*: delivered/);
  process.stdin.write('stop\n');
  expect(await ended()).toBe(0);
});

test('`stop` that is typed before Teller is ready stops it as soon as it is', async () => {
  const { folder, config } = place();
  const { process, out, log, ended } = typedConsole(folder, ['run', '--typed', '--config', config]);
  process.stdin.end('stop');
  expect(await ended()).toBe(0);
  expect(out()).toMatch(/^\{"msg":"ready".*\}\n$/);
  expect(log()).toContain('"code":"ending"');
});

test('`stop` ends the wait for a port that another program has', async () => {
  const { host, port } = await silentServer();
  const { folder, config } = place({ listener: { host, port } });
  const words = ['run', '--typed', '--wait-port', '--config', config];
  const { process, out, log, ended } = typedConsole(folder, words);
  await expect.poll(log, SOON).toContain('"code":"port-wait"');
  // The command that shows who has it.
  expect(log()).toMatch(new RegExp(`(?:ss -ltnp|lsof -nP).*:${port}'`));
  process.stdin.write('stop\n');
  expect([await ended(), out()]).toEqual([0, '']);
});

test('signals that come while Teller starts are obeyed when it has started', async () => {
  const { close, ...listener } = await silentServer();
  const { folder, config } = place({ listener });
  const one = typedConsole(folder, ['run', '--typed', '--wait-port', '--config', config]);
  await expect.poll(one.log, SOON).toContain('"code":"port-wait"');
  const loaded = readFileSync(config, 'utf8');
  writeFileSync(config, JSON.stringify({ ...JSON.parse(loaded), sites: { default: {}, 'My-List.com': {} } }));
  one.process.kill('SIGHUP');
  await close();
  await one.ready();
  await expect.poll(one.log, SOON).toContain('"code":"reloaded"');
  one.process.kill('SIGTERM');
  expect(await one.ended()).toBe(0);
});

test('the end of the input does not stop Teller', async () => {
  const { folder, config } = place();
  const { process, ready, out, ended } = typedConsole(folder, ['run', '--typed', '--config', config]);
  process.stdin.end('config check');
  await ready();
  await expect.poll(out, SOON).toMatch(/\nok\n$/);
  expect(process.exitCode).toBeNull();
  process.kill('SIGTERM');
  expect(await ended()).toBe(0);
});

test('typed commands use the config of the running Teller, and a failed one changes nothing for it', async () => {
  const { folder, words } = elsewhere();
  const { ready, type, process, log, ended } = typedConsole(folder, words);
  await ready();
  expect(await type('teller votes add --player Steve --site List')).toContain('vote 1');
  expect(await type('config check')).toBe('ok\n');
  expect(await type('votes --config none.json add --player Steve --site List')).toMatch(/\[config-missing\]/);
  expect(await type('rewards list')).not.toMatch(/error/);
  expect(await type('keys')).toMatch(/BEGIN|MII/);
  expect(await type('votes void 1 --reason "a bot"')).toMatch(/--yes.*\[usage\]/s);
  expect(log()).not.toContain('[usage]');
  process.stdin.write('stop\n');
  expect(await ended()).toBe(0);
});

test('what cannot be done here is answered with the reason, and Teller runs on', async () => {
  const { folder, words } = elsewhere();
  const { ready, type, process, ended } = typedConsole(folder, words);
  await ready();
  expect(await type('stpo')).toMatch(/Did you mean stop\?.* \[usage\]/);
  for (const line of ['run', 'loop', 'listing', 'practice', 'webhook sink --port 0'])
    expect([line, await type(line)]).toEqual([line, expect.stringContaining('in a shell')]);
  expect(await type('console password')).toMatch(/\[usage\]/);
  expect(await type('help')).toMatch(/^ {2}stop +\S/m);
  expect(await type('explain --help')).toContain('Usage: teller explain');
  process.kill('SIGTERM');
  expect(await ended()).toBe(0);
});

test('a command in progress ends with Teller', async () => {
  const { folder, words } = elsewhere();
  const { ready, process, ended, out } = typedConsole(folder, words);
  await ready();
  const { port } = await silentServer(() => void process.kill('SIGTERM'));
  process.stdin.write(`send --player Steve --port ${port}\nhelp\n`);
  expect(await ended()).toBe(0);
  expect(out().split('\n')).toHaveLength(2);
});

test('commands can be typed at a terminal too, as panels that run a container give it one', async () => {
  const { folder, words } = elsewhere();
  const atTerminal = ['sh', '-c', 'exec script -qefc "$*" /dev/null', 'sh'];
  const { ready, process, out, ended } = typedConsole(folder, words, atTerminal);
  await ready();
  process.stdin.write('explain Alex\n');
  await expect.poll(out, SOON).toContain('no vote by Alex');
  process.stdin.write('stop\n');
  expect(await ended()).toBe(0);
});

test('without --typed, Teller leaves the terminal to the shell in whose background it is, and runs on', async () => {
  const { folder, words } = elsewhere();
  const shell = 'set -m; $* & read -r line; echo shell read \\$line; kill -TERM %1; wait %1';
  const inBackground = ['sh', '-c', `exec script -qefc "bash -c '${shell}'" /dev/null`, 'sh'];
  const untyped = words.filter((word) => word !== '--typed');
  const { ready, process, out, ended } = typedConsole(folder, untyped, inBackground);
  await ready();
  process.stdin.write('stop\n');
  // A process that reads the terminal in the background is stopped, and `wait` returns another code.
  expect([await ended(), out()]).toEqual([0, expect.stringContaining('shell read stop')]);
});
