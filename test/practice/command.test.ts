import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { here } from '../kit/here.ts';
import { service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { client, PASSWORD, practice, RawClient } from '../support/rcon.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

/** Starts `teller practice …` in this process. */
const start = (...given: string[]) => service(['practice', ...given]);

/** Runs the command until it ends. */
async function run(...given: string[]) {
  const { out, err, exit } = await typed(['practice', ...given], null);
  return { out: out === '' ? [] : out.split('\n'), err: err === '' ? [] : err.split('\n'), code: exit };
}

describe('teller practice', () => {
  it('prints the ready line once it listens, and the new password on stderr', async () => {
    const started = await start('--json');
    const { ready } = started;
    expect(ready).toEqual({
      msg: 'ready',
      practice: true,
      practiceServer: { host: '127.0.0.1', port: expect.any(Number) },
    });
    const password = /[0-9a-f]{32}/.exec(started.err[0] as string)?.[0] as string;
    const raw = await RawClient.open(ready.practiceServer);
    raw.send({ id: 1, type: 3, body: password });
    expect(await raw.next()).toEqual({ id: 1, type: 2, body: '' });
    expect(await started.stop()).toBe(0);
    expect(await raw.next()).toBe('closed');
  });

  it('says how to connect it and how a player joins; scripts and those who chose the password are not told', async () => {
    const started = await start();
    const { practiceServer } = started.ready;
    const [, , , join = ''] = started.err;
    const words = join.trim().split(' ');
    expect(words.slice(0, 4)).toEqual(['teller', 'practice', 'join', 'Alex']);
    expect(await run(...words.slice(2))).toMatchObject({ out: ['Alex joined the game'], code: 0 });
    expect(started.err[1]).toContain(`port ${practiceServer.port}`);
    const [forScript, chosen] = [await start('--json'), await start('--password', PASSWORD)];
    expect([forScript.err.length, chosen.err.length]).toEqual([1, 0]);
  });

  it('accepts a password, which it does not show, and a log file, which has each command before its reply', async () => {
    const log = path.join(temporaryFolder(), 'commands.log');
    const started = await start('--password', PASSWORD, '--log', log);
    const { practiceServer } = started.ready;
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
  const rewards = [{ name: 'r', when: 'always', servers: 'all', commands: ['say {player}'] }];
  const joined = { out: ['Bob joined the game'], err: [], code: 0 };

  it('found through the file beside the ledger, until it stops', async () => {
    const teller = await here({ rewards });
    expect(await run('join', 'Bob', '--config', teller.config)).toEqual(joined);
    expect(statSync(path.join(teller.folder, 'data/practice-main.json')).mode & 0o777).toBe(0o600);
    await teller.stop();
    const refused = { err: [expect.stringContaining('[practice-not-running]')], code: 1 };
    expect(await run('join', 'Bob', '--config', teller.config)).toMatchObject(refused);
  });

  it('chosen by --server if there are several', async () => {
    const kind = { kind: 'practice', autoJoin: false };
    const { config } = await here({ rewards, gameServers: { one: kind, two: kind } });
    expect(await run('join', 'Bob', '--config', config)).toMatchObject({ code: 2 });
    expect(await run('join', 'Bob', '--config', config, '--server', 'two')).toEqual(joined);
    const players = await run('players', '--json', '--config', config, '--server', 'one');
    expect(players.out).toEqual(['[]']);
  });
});
