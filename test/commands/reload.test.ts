import { describe, expect, onTestFinished, test } from 'vitest';
import { loadCommands } from '../../src/commands/all.ts';
import { reloadCommand, SILENCE_MS } from '../../src/commands/reload.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { configFolder, TOKEN, writeConfig } from '../support/config-folder.ts';
import { type Controlled, controlledApp } from '../support/controlled.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { silentLog } from '../support/log.ts';
import { naming } from '../support/naming.ts';
import { runningApp } from '../support/running-app.ts';
import { runCommand } from './run-command.ts';

const DIAMOND = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const EMERALD = [{ name: 'daily', commands: ['give {player} emerald 1'] }];

async function teller(config: string, name: string, ...words: readonly string[]) {
  const terminal = fakeTerminal();
  const parts = { clock: systemClock, random: systemRandom, stopped: async () => {}, teller: 'teller' };
  const [command] = await loadCommands(terminal, parts, name);
  if (command === undefined) throw new Error(`no command ${name}`);
  return runCommand(command, terminal, [...words, '--config', config]);
}

describe('reload', () => {
  test('prints what each process applied and what needs a restart, and exits 1 if anything needs a restart', async () => {
    const { config } = await controlledApp({ rewards: DIAMOND });
    writeConfig(config, { rewards: EMERALD });
    const applied = await teller(config, 'reload');
    expect([applied.exit, applied.out]).toEqual([0, naming('rewards.daily.commands', 'changed')]);

    writeConfig(config, { rewards: EMERALD, keys: 'data/other-keys' });
    const restart = await teller(config, 'reload');
    expect([restart.exit, restart.out.split('\n')[1]]).toEqual([1, naming('keys', /restart/)]);
  });

  test('exits 2 with every error of an invalid config, and contacts no process', async () => {
    const { config, app, lines } = await controlledApp({ rewards: DIAMOND });
    writeConfig(config, { rewards: EMERALD, listener: { port: 'many' }, log: { level: 'loud' } });
    const { exit, err } = await teller(config, 'reload');
    expect(exit).toBe(2);
    expect(err).toMatch(/listener\.port[\s\S]*log\.level/);
    expect(lines.map(({ code }) => code)).not.toContain('config-invalid');
    expect(app.config.rewards[0]?.commands).toEqual(['give {player} diamond 1']);
  });

  test('warns of what is probably a mistake in a reward, and applies it', async () => {
    const { config } = await controlledApp({ rewards: DIAMOND });
    writeConfig(config, { rewards: [{ name: 'daily', commands: ['say {player} has {vote}'] }] });
    const { exit, out, err } = await teller(config, 'reload');
    expect([exit, out]).toEqual([0, naming('rewards.daily.commands')]);
    expect(err).toEqual(naming(/^warning: /, 'daily', '{vote}', '{votes}', /\[placeholder-unknown\]$/));
  });

  test('exits 1 if no Teller is running', async () => {
    const { config } = configFolder();
    expect(await teller(config, 'reload')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('teller.db'),
    });
    expect((await teller(config, 'reload', '--json')).out).toBe('[]');
  });

  test('does not claim that no Teller is running if it cannot reach one that is', async () => {
    const { config } = await runningApp(systemClock);
    expect(await teller(config, 'reload')).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/^a Teller is running .*restart/),
    });
  });

  test('says why it is waiting if the answer takes long', async () => {
    const { app, config } = await runningApp(systemClock);
    let [asked, answer] = [(): void => {}, (): void => {}];
    const hasAsked = new Promise<void>((resolve) => (asked = resolve));
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
    const load = async () => {
      asked();
      await mayAnswer;
      return loadConfig(config);
    };
    const control = await startControl({ app, load, clock: systemClock, log: silentLog });
    onTestFinished(() => control.close());
    const [terminal, clock] = [fakeTerminal(), new FakeClock()];
    const reloading = runCommand(reloadCommand(terminal, clock), terminal, ['--config', config]);
    await hasAsked;
    clock.advance(SILENCE_MS);
    answer();
    expect(await reloading).toMatchObject({ exit: 0, err: expect.stringContaining('commandTimeout') });
  });

  test('prints ISO times with --json', async () => {
    const { config } = await controlledApp();
    const [{ startedAt }] = JSON.parse((await teller(config, 'reload', '--json')).out);
    expect(new Date(startedAt).toISOString()).toBe(startedAt);
  });
});

const REPORTS = {
  preview: ['Steve'],
  sites: [],
  explain: ['Steve'],
  grants: [],
  votes: [],
  keys: [],
} as const;

async function withOlderConfig(): Promise<Controlled> {
  const running = await controlledApp({ rewards: DIAMOND });
  writeConfig(running.config, { rewards: EMERALD });
  return running;
}

describe.each(Object.entries(REPORTS))(
  'rule 15: %s while the running Teller has an older config',
  (name, words) => {
    test('prints a note first that says what differs', async () => {
      const { config } = await withOlderConfig();
      const { out } = await teller(config, name, ...words);
      expect(out.split('\n')[0]).toMatch(/^note: .*rewards\.daily\.commands.*teller reload/);
    });

    test('prints that note on standard error with --json', async () => {
      const { config } = await withOlderConfig();
      const { out, err } = await teller(config, name, ...words, '--json');
      expect(JSON.parse(out)).toBeInstanceOf(Array);
      expect(err).toContain('rewards.daily.commands');
    });

    test('prints no note after a reload', async () => {
      const { config, control } = await withOlderConfig();
      await control.reload();
      const { out, err } = await teller(config, name, ...words);
      expect(`${out}${err}`).not.toContain('teller reload');
    });
  },
);

test('check reports an older config until a reload (rule 15)', async () => {
  const { config, control } = await withOlderConfig();
  const found = async () =>
    JSON.parse((await teller(config, 'check', '--json')).out).filter(
      ({ code }: { code: string }) => code === 'config-older',
    );
  expect(await found()).toMatchObject([
    { mark: 'warning', sentence: expect.stringContaining('rewards.daily') },
  ]);
  await control.reload();
  expect(await found()).toEqual([]);
});

test('a rotated token is reported as a difference until the reload', async () => {
  const { config, control, app } = await controlledApp({ sites: { default: { token: TOKEN } } });
  const token = 'another-token-of-thirty-two-chars';
  writeConfig(config, { sites: { default: { token } } });
  expect((await teller(config, 'keys')).out).toContain('sites.default.token');
  await control.reload();
  expect(app.config.sites.get('default')?.token?.reveal()).toBe(token);
});
