import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { practiceCommand } from '../../src/commands/practice.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { writePracticeAddress } from '../../src/practice/address-file.ts';
import { naming } from '../support/naming.ts';
import { client, PASSWORD, practice, RawClient } from '../support/rcon.ts';

afterEach(() => {
  process.exitCode = undefined;
});

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'teller-command-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** Starts `teller practice …` in this process; `stop` does what SIGTERM would. */
function start(...given: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const signals = new EventEmitter();
  const printed = once(signals, 'printed');
  const stopped = once(signals, 'stop');
  const terminal = {
    out: (line: string) => {
      out.push(line);
      signals.emit('printed');
    },
    err: (line: string) => void err.push(line),
    interactive: false,
  };
  const parts = { clock: systemClock, random: systemRandom, stopped: () => stopped, teller: 'teller' };
  const ended = practiceCommand(terminal, parts).parseAsync(given, { from: 'user' });
  const stop = () => signals.emit('stop');
  onTestFinished(async () => {
    stop();
    await ended;
  });
  return { out, err, ended, printed, stop };
}

/** Runs the command until it ends. */
async function run(...given: string[]) {
  process.exitCode = undefined;
  const { out, err, ended } = start(...given);
  await ended;
  return { out, err, code: process.exitCode };
}

describe('teller practice', () => {
  it('prints the ready line once it listens, and the new password on stderr', async () => {
    const started = start('--json');
    await started.printed;
    const ready = JSON.parse(started.out[0] as string);
    expect(ready).toEqual({
      msg: 'ready',
      practice: true,
      practiceServer: { host: '127.0.0.1', port: expect.any(Number) },
    });
    const password = /[0-9a-f]{32}/.exec(started.err[0] as string)?.[0] as string;
    const raw = await RawClient.open(ready.practiceServer);
    raw.send({ id: 1, type: 3, body: password });
    expect(await raw.next()).toEqual({ id: 1, type: 2, body: '' });
    started.stop();
    await started.ended;
    expect(process.exitCode).toBe(0);
    expect(await raw.next()).toBe('closed');
  });

  it('says how to connect it and how a player joins; scripts and those who chose the password are not told', async () => {
    const started = start();
    await started.printed;
    const { practiceServer } = JSON.parse(started.out[0] as string);
    const [, , , join = ''] = started.err;
    const words = join.trim().split(' ');
    expect(words.slice(0, 4)).toEqual(['teller', 'practice', 'join', 'Alex']);
    expect(await run(...words.slice(2))).toMatchObject({ out: ['Alex joined the game'], code: 0 });
    expect(started.err[1]).toContain(`port ${practiceServer.port}`);
    const [forScript, chosen] = [start('--json'), start('--password', PASSWORD)];
    await Promise.all([forScript.printed, chosen.printed]);
    expect([forScript.err.length, chosen.err.length]).toEqual([1, 0]);
  });

  it('accepts a password, which it does not show, and a log file, which has each command before its reply', async () => {
    const log = path.join(folder(), 'commands.log');
    const started = start('--password', PASSWORD, '--log', log);
    await started.printed;
    const { practiceServer } = JSON.parse(started.out[0] as string);
    await client(practiceServer).run('give Bob bread 1');
    expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ command: 'give Bob bread 1' });
    expect([...started.out, ...started.err].join()).not.toContain(PASSWORD);
  });

  it('exits with a problem code if the port is in use or invalid', async () => {
    const { port } = await practice();
    expect(await run('--port', String(port))).toMatchObject({
      code: 1,
      err: [expect.stringContaining('[port-in-use]')],
    });
    expect(await run('--port', '70000')).toMatchObject({
      code: 2,
      err: [expect.stringContaining('[usage]')],
    });
  });
});

describe('control of a running practice server', () => {
  async function running() {
    const server = await practice();
    return { server, at: ['--port', String(server.port), '--password', PASSWORD] };
  }

  it('run runs a command of the game and prints its reply', async () => {
    const { at } = await running();
    await run('join', 'Bob', ...at);
    expect(await run('run', ...at, 'tag Bob add vip')).toMatchObject({ out: ["Added tag 'vip' to Bob"] });
    expect(await run('run', ...at, 'say', 'hello')).toMatchObject({ out: ['(no output)'] });
    expect(await run('run', ...at, '--json', 'say hello')).toMatchObject({
      out: [JSON.stringify([{ answer: '' }])],
    });
    expect(await run('run', ...at, 'say a\nsay b')).toMatchObject({ code: 2 });
  });

  it('join, players, inventory and leave do what they say', async () => {
    const { server, at } = await running();
    expect(await run('join', 'Bob', ...at)).toEqual({ out: ['Bob joined the game'], err: [], code: 0 });
    expect(await run('join', '*Ann', ...at)).toMatchObject({ out: ['*Ann joined the game'] });
    await client(server).run('give Bob bread 2');
    expect(await run('inventory', 'bob', ...at)).toMatchObject({ out: ['item  count', 'bread  2'] });
    expect(JSON.parse((await run('inventory', 'bob', '--json', ...at)).out.join(''))).toEqual([
      { item: 'bread', count: 2 },
    ]);
    expect(JSON.parse((await run('players', '--json', ...at)).out.join(''))).toEqual([
      { player: 'Bob', uuid: 'faa5dca3-c3d4-354b-ae1b-dde9e5a14b3b' },
      { player: '*Ann', uuid: expect.any(String) },
    ]);
    await run('leave', 'Bob', ...at);
    expect(server.players()).toEqual(['*Ann']);
  });

  it('join with a UUID makes an account join, under a new name too', async () => {
    const { server, at } = await running();
    expect(await run('join', 'Alex', '--uuid', ALEX.toUpperCase(), ...at)).toMatchObject({
      out: ['Alex joined the game'],
    });
    await client(server).run('give Alex bread 2');
    await run('join', 'Toni', '--uuid', ALEX.replaceAll('-', ''), ...at);
    await run('join', 'Alex', '--uuid', STRANGER, ...at);
    expect(JSON.parse((await run('players', '--json', ...at)).out.join(''))).toEqual([
      { player: 'Toni', uuid: ALEX },
      { player: 'Alex', uuid: STRANGER },
    ]);
    expect(server.inventory('Toni')).toEqual({ bread: 2 });
    expect(server.inventory('Alex')).toEqual({});
    await run('leave', 'Toni', ...at);
    expect(await run('join', 'Alex', '--uuid', ALEX, ...at)).toEqual({
      out: [],
      err: [naming('Alex', '[practice-refused]')],
      code: 1,
    });
    expect(await run('join', 'Kim', '--uuid', '1111', ...at)).toEqual({
      out: [],
      err: [naming('1111', '[practice-refused]')],
      code: 1,
    });
  });

  it('also accepts the address before the subcommand', async () => {
    const { server, at } = await running();
    await run(...at, 'join', 'Bob');
    expect(server.players()).toEqual(['Bob']);
  });

  it('fault, faults and clear work whichever faults are set', async () => {
    const { server, at } = await running();
    await run('fault', 'close-after-login', ...at);
    await run('fault', 'run-and-silent', '--for', '3', ...at);
    const rows = JSON.parse((await run('faults', '--json', ...at)).out.join('')) as {
      fault: string;
      on: boolean;
    }[];
    expect(rows.filter(({ on }) => on).map(({ fault }) => fault)).toEqual([
      'close-after-login',
      'run-and-silent',
    ]);
    expect(await run('clear', ...at)).toMatchObject({ err: [], code: 0 });
    const after = JSON.parse((await run('faults', '--json', ...at)).out.join('')) as typeof rows;
    expect(after.filter(({ on }) => on)).toEqual([]);
    expect(await client(server).run('say 1')).toMatchObject({ kind: 'delivered' });
  });

  it('refuses with a code and exit 1', async () => {
    const { at } = await running();
    expect(await run('leave', 'Bob', ...at)).toEqual({
      out: [],
      err: [naming('Bob', '[practice-refused]')],
      code: 1,
    });
    expect(await run('join', 'Bob', '--port', at[1] as string, '--password', 'wrong')).toMatchObject({
      err: [expect.stringContaining('[practice-not-running]')],
      code: 1,
    });
  });

  it('refuses a misspelt fault without asking the server', async () => {
    expect(await run('fault', 'emty-reply', '--port', '1', '--password', 'x')).toEqual({
      out: [],
      err: [naming('emty-reply', 'empty-reply', '[usage]')],
      code: 2,
    });
    expect(await run('fault', 'empty-reply', '--for', '0', '--port', '1')).toMatchObject({ code: 2 });
    expect(await run('join', 'Bob', '--port', '1')).toMatchObject({ code: 2 });
  });
});

describe('without --port, the command controls the practice server of `teller run`', () => {
  /** A config with these game servers; the ledger's folder is `data` beside it. */
  function config(...names: string[]): { file: string; data: string } {
    const at = folder();
    const file = path.join(at, 'config.json');
    const gameServers = Object.fromEntries(names.map((name) => [name, { kind: 'practice' }]));
    const rewards = [{ name: 'r', when: 'always', servers: 'all', commands: ['say {player}'] }];
    const sites = { default: { token: 'a-token-of-some-length-0123456789' } };
    writeFileSync(file, JSON.stringify({ sites, gameServers, rewards, ledger: 'data/teller.db' }));
    return { file, data: path.join(at, 'data') };
  }

  it('found through the file beside the ledger', async () => {
    const { file, data } = config('main');
    const server = await practice();
    await writePracticeAddress(data, 'main', server);
    expect(await run('join', 'Bob', '--config', file)).toEqual({
      out: ['Bob joined the game'],
      err: [],
      code: 0,
    });
    expect(server.players()).toEqual(['Bob']);
  });

  it('chosen by --server if there are several', async () => {
    const { file, data } = config('one', 'two');
    const server = await practice();
    await writePracticeAddress(data, 'two', server);
    expect(await run('join', 'Bob', '--config', file)).toMatchObject({ code: 2 });
    expect(await run('join', 'Bob', '--config', file, '--server', 'one')).toMatchObject({ code: 1 });
    expect(await run('join', 'Bob', '--config', file, '--server', 'two')).toMatchObject({ code: 0 });
  });

  it('but fails with practice-not-running if that is not running', async () => {
    const { file } = config('main');
    expect(await run('join', 'Bob', '--config', file)).toMatchObject({
      err: [expect.stringContaining('[practice-not-running]')],
      code: 1,
    });
  });
});
