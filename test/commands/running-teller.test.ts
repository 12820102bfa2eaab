import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { backupCommand } from '../../src/commands/backup.ts';
import { checkCommand } from '../../src/commands/check.ts';
import { explainCommand } from '../../src/commands/explain.ts';
import { grantsCommand } from '../../src/commands/grants.ts';
import { keysCommand } from '../../src/commands/keys.ts';
import { pauseCommand } from '../../src/commands/pause.ts';
import { playersCommand } from '../../src/commands/players.ts';
import { practiceCommand } from '../../src/commands/practice.ts';
import { previewCommand } from '../../src/commands/preview.ts';
import { restoreCommand } from '../../src/commands/restore.ts';
import { rewardsCommand } from '../../src/commands/rewards.ts';
import { sendCommand } from '../../src/commands/send.ts';
import { sitesCommand } from '../../src/commands/sites.ts';
import { votesCommand } from '../../src/commands/votes.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { controlledApp } from '../support/controlled.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startTeller } from '../support/processes.ts';
import { type Ran, runCommand } from './run-command.ts';

const tools = { clock: systemClock, random: systemRandom, stopped: async () => {}, teller: 'teller' };

type Terminal = ReturnType<typeof fakeTerminal>;

const commands = {
  backup: (terminal: Terminal) => backupCommand(terminal, systemClock),
  check: (terminal: Terminal) => checkCommand(terminal, tools),
  explain: (terminal: Terminal) => explainCommand(terminal, systemClock),
  grants: (terminal: Terminal) => grantsCommand(terminal, systemClock),
  keys: (terminal: Terminal) => keysCommand(terminal),
  pause: (terminal: Terminal) => pauseCommand(terminal, systemClock),
  players: (terminal: Terminal) => playersCommand(terminal, systemClock),
  practice: (terminal: Terminal) => practiceCommand(terminal, tools),
  preview: (terminal: Terminal) => previewCommand(terminal, tools.clock),
  restore: (terminal: Terminal) => restoreCommand(terminal, systemClock),
  rewards: (terminal: Terminal) => rewardsCommand(terminal, systemClock),
  send: (terminal: Terminal) => sendCommand(terminal, systemClock),
  sites: (terminal: Terminal) => sitesCommand(terminal, systemClock),
  votes: (terminal: Terminal) => votesCommand(terminal, tools),
} satisfies Record<string, (terminal: Terminal) => CommandUnknownOpts>;

/** Runs `teller <line> --config <config>`. */
function teller(config: string, line: string): Promise<Ran> {
  const [name = '', ...words] = line.split(' ');
  const terminal = fakeTerminal();
  const command = commands[name as keyof typeof commands](terminal);
  return runCommand(command, terminal, [...words, '--config', config]);
}

/** What it prints for scripts. */
// biome-ignore lint/suspicious/noExplicitAny: commands print values of every shape
const rows = async (config: string, line: string): Promise<any> =>
  JSON.parse((await teller(config, `${line} --json`)).out);

describe('the address of a running Teller', () => {
  test('is known to other commands if a flag of `loop` changed it', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const { ready } = await startTeller(
      ['loop', '--port', '0', '--listener-port', String(port), '--console-port', '0'],
      folder,
    );
    expect(ready.listener.port).toBe(port);
    const config = join(folder, 'data/loop/config.json');
    expect((await rows(config, 'keys')).map((row: { port: number }) => row.port)).toContain(port);
    expect(await rows(config, 'send')).toMatchObject([{ code: 'accepted' }]);
    const found: readonly { code: string; mark: string; sentence: string }[] = await rows(config, 'check');
    expect(found.filter(({ code }) => code.startsWith('port'))).toMatchObject([
      { code: 'port', mark: 'ok', sentence: expect.stringContaining(String(port)) },
    ]);
  });

  test('is where votes are sent if the config leaves the port to the operating system', async () => {
    const { config, app } = await controlledApp();
    expect(await rows(config, 'send')).toMatchObject([{ code: 'accepted' }]);
    expect(await rows(config, 'keys')).toMatchObject([{ port: app.listener.port }]);
  });

  test('is where votes are sent if another port was written into the file since', async () => {
    const { config, app } = await controlledApp();
    writeConfig(config, { listener: { host: '127.0.0.1', port: await freePort() } });
    expect(await rows(config, 'send')).toMatchObject([{ code: 'accepted' }]);
    expect(await rows(config, 'keys')).toMatchObject([{ port: app.listener.port }]);
    const found: readonly { code: string }[] = await rows(config, 'check');
    expect(found.map(({ code }) => code)).toEqual(expect.arrayContaining(['config-older', 'port-not-held']));
  });
});

describe('while the config of a running Teller has a fault', () => {
  const REWARD = { name: 'daily', commands: ['say {player}'] };
  const FAULTS: readonly [string, (text: string) => string][] = [
    ['a key that does not exist', (text) => text.replace('"rewards"', '"rewrads"')],
    ['a comma is missing', (text) => text.replace(',"', ' "')],
    ['it is cut off', (text) => text.slice(0, -20)],
  ];

  async function faulty(change: (text: string) => string, overrides: object = {}) {
    const one = await controlledApp({ rewards: [REWARD], ...overrides });
    expect(await rows(one.config, 'send --player Alex')).toMatchObject([{ code: 'accepted' }]);
    writeFileSync(one.config, change(readFileSync(one.config, 'utf8')));
    return one;
  }

  test.each(FAULTS)('(%s), commands that only read go by what runs, and say so', async (_, change) => {
    const { config } = await faulty(change);
    const lines = [
      'explain Alex',
      'grants',
      'votes',
      'sites',
      'players show Alex',
      'keys',
      'send',
      'rewards list',
    ];
    for (const line of [...lines, 'preview Steve', 'practice players']) {
      const { exit, err } = await teller(config, line);
      expect([line, exit, err]).toEqual([line, 0, expect.stringMatching(/^warning: .*\[config-invalid\]$/m)]);
    }
    expect(await rows(config, 'explain Alex')).toMatchObject([{ player: 'Alex' }]);
    expect((await teller(config, 'rewards list')).out).toContain('daily');
  });

  test('their warning is not on standard output, where scripts read, and names no secret', async () => {
    const { config } = await faulty((text) => text.replace('"rewards"', '"rewrads"'));
    const { out, err } = await teller(config, 'explain Alex --json');
    expect(JSON.parse(out)).toHaveLength(1);
    expect(err).not.toContain(TOKEN);
  });

  test('its Teller is found by a ledger at another place too', async () => {
    const folder = temporaryFolder();
    const { config } = await faulty((text) => text.slice(0, -1), { ledger: join(folder, 'other.db') });
    expect((await teller(config, 'explain Alex')).exit).toBe(0);
  });

  test('a backup has the file as it is, the keys and the ledger, and can be restored', async () => {
    const { config, folder } = await faulty((text) => text.slice(0, -20));
    const dir = join(temporaryFolder(), 'monday');
    const { exit, err } = await teller(config, `backup ${dir}`);
    expect([exit, err]).toEqual([0, expect.stringMatching(/^warning: .*\[config-invalid\]$/m)]);
    const target = join(temporaryFolder(), 'config.json');
    const restored = await teller(target, `restore ${dir}`);
    expect([restored.exit, restored.err]).toEqual([0, expect.stringContaining('[config-syntax]')]);
    expect(readFileSync(target, 'utf8')).toBe(readFileSync(config, 'utf8'));
    const key = 'data/keys/private.key';
    expect(readFileSync(join(dirname(target), key), 'utf8')).toBe(readFileSync(join(folder, key), 'utf8'));
    writeConfig(target, { rewards: [REWARD] });
    expect(await rows(target, 'explain Alex')).toMatchObject([{ player: 'Alex' }]);
  });

  test('commands that change something, and check, name the fault (config-invalid)', async () => {
    const { config } = await faulty((text) => text.replace('"rewards"', '"rewrads"'));
    const paused = await teller(config, 'pause');
    expect([paused.exit, paused.err]).toEqual([2, expect.stringContaining('[config-unknown-key]')]);
    const checked = await teller(config, 'check');
    expect([checked.exit, checked.out]).toEqual([2, expect.stringContaining('config-unknown-key')]);
  });

  test('nothing else is believed once that Teller has stopped', async () => {
    const { config, control } = await faulty((text) => text.replace('"rewards"', '"rewrads"'));
    await control.close();
    const { exit, err } = await teller(config, 'explain Alex');
    expect([exit, err]).toEqual([2, expect.stringContaining('[config-unknown-key]')]);
  });

  test('a Teller of another config on the same ledger is not taken for its own', async () => {
    const { config, app } = await controlledApp();
    const other = join(temporaryFolder(), 'config.json');
    writeConfig(other, { ledger: app.config.ledger, rewrads: [] });
    expect(config).not.toBe(other);
    expect((await teller(other, 'explain Alex')).exit).toBe(2);
  });
});
