import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { type Here, here } from '../kit/here.ts';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startTeller } from '../support/processes.ts';

/** Types it as one line. */
const teller = (place: Place, line: string) => typedHere(place, ...line.split(' '));
const rows = async (place: Place, line: string) => (await teller(place, `${line} --json`)).json;

describe('the address of a running Teller', () => {
  test('is known to other commands if a flag of `loop` changed it', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const flags = ['--port', '0', '--listener-port', String(port), '--console-port', '0'];
    const { ready } = await startTeller(['loop', ...flags], folder);
    expect(ready.listener.port).toBe(port);
    const place = { folder, config: join(folder, 'data/loop/config.json') };
    expect((await rows(place, 'keys')).map((row: { port: number }) => row.port)).toContain(port);
    expect(await rows(place, 'send')).toMatchObject([{ code: 'accepted' }]);
    const found: readonly { code: string }[] = await rows(place, 'check');
    expect(found.filter(({ code }) => code.startsWith('port'))).toMatchObject([
      { code: 'port', mark: 'ok', sentence: expect.stringContaining(String(port)) },
    ]);
  });

  test('is where votes are sent, whichever port the config has, or was written into it since', async () => {
    const one = await here();
    expect(await rows(one, 'send')).toMatchObject([{ code: 'accepted' }]);
    const [{ port }] = await rows(one, 'keys');
    expect(port).toBeGreaterThan(0);
    rewrite(one, { listener: { host: '127.0.0.1', port: await freePort() } });
    expect(await rows(one, 'send')).toMatchObject([{ code: 'accepted' }]);
    expect(await rows(one, 'keys')).toMatchObject([{ port }, { port }]);
    const found: readonly { code: string }[] = await rows(one, 'check');
    expect(found.map(({ code }) => code)).toEqual(expect.arrayContaining(['config-older', 'port-not-held']));
  });
});

describe('while the config of a running Teller has a fault', () => {
  const REWARD = { name: 'daily', commands: ['say {player}'] };
  const UNKNOWN_KEY = (text: string) => text.replace('"rewards"', '"rewrads"');
  const FAULTS: readonly [string, (text: string) => string][] = [
    ['a key that does not exist', UNKNOWN_KEY],
    ['a comma is missing', (text) => text.replace(/,\n/, '\n')],
    ['it is cut off', (text) => text.slice(0, -20)],
  ];
  const WARNING = expect.stringMatching(/^warning: .*\[config-invalid\]$/m);

  async function faulty(change: (text: string) => string, more: object = {}): Promise<Here> {
    const one = await here({ rewards: [REWARD], ...more });
    expect(await one.vote({ player: 'Alex' })).toBe('ok');
    writeFileSync(one.config, change(readFileSync(one.config, 'utf8')));
    return one;
  }

  test.each(FAULTS)('(%s), commands that only read go by what runs, and say so', async (_, change) => {
    const one = await faulty(change);
    const lines =
      'explain Alex,grants,votes,sites,players show Alex,keys,send,rewards list,preview Steve,practice players';
    for (const line of lines.split(',')) {
      const { exit, err } = await teller(one, line);
      expect([line, exit, err]).toEqual([line, 0, WARNING]);
    }
    expect((await teller(one, 'rewards list')).out).toContain('daily');
    // The warning is not where scripts read, and names no secret.
    const { json, err } = await teller(one, 'explain Alex --json');
    expect(json).toMatchObject([{ player: 'Alex' }]);
    expect(err).not.toContain(TOKEN);
  });

  test('its Teller is found by a ledger at another place too', async () => {
    const ledger = join(temporaryFolder(), 'other.db');
    expect((await teller(await faulty((text) => text.slice(0, -1), { ledger }), 'explain Alex')).exit).toBe(
      0,
    );
  });

  test('a backup has the file as it is, the keys and the ledger, and can be restored', async () => {
    const one = await faulty((text) => text.slice(0, -20));
    const dir = join(temporaryFolder(), 'monday');
    expect(await teller(one, `backup ${dir}`)).toMatchObject({ exit: 0, err: WARNING });
    const folder = temporaryFolder();
    const target = { folder, config: join(folder, 'config.json') };
    const restored = await teller(target, `restore ${dir}`);
    expect([restored.exit, restored.err]).toEqual([0, expect.stringContaining('[config-syntax]')]);
    for (const name of ['config.json', 'data/keys/private.key'])
      expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(one.folder, name), 'utf8'));
    rewrite(target, { rewards: [REWARD] });
    expect(await rows(target, 'explain Alex')).toMatchObject([{ player: 'Alex' }]);
  });

  test('commands that change something, and check, name the fault (config-invalid), and all do once that Teller has stopped', async () => {
    const one = await faulty(UNKNOWN_KEY);
    const isNamed = { exit: 2, err: expect.stringContaining('[config-unknown-key]') };
    expect(await teller(one, 'pause')).toMatchObject(isNamed);
    const checked = await teller(one, 'check');
    expect([checked.exit, checked.out]).toEqual([2, expect.stringContaining('config-unknown-key')]);
    await one.stop();
    expect(await teller(one, 'explain Alex')).toMatchObject(isNamed);
  });

  test('a Teller of another config on the same ledger is not taken for its own', async () => {
    const one = await here();
    const other = furnish(temporaryFolder(), { ledger: join(one.folder, 'data/teller.db'), rewrads: [] });
    expect(dirname(other.config)).not.toBe(one.folder);
    expect((await teller(other, 'explain Alex')).exit).toBe(2);
  });
});
