import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changesBetween, valuesOf } from '../../src/config/changes.ts';
import { loadConfig } from '../../src/config/load.ts';
import { compareConfigFile, shownChanges } from '../../src/operator/config-file/compare.ts';
import { WATCH_INTERVAL_MS } from '../../src/operator/control/config-watch.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { CHANGES, FULL, withValueAt, writeEntries } from '../support/config-changes.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { type Controlled, controlledApp } from '../support/controlled.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const COMMANDS = ['give {player} diamond 1'];
const DAILY = { name: 'daily', commands: COMMANDS };
const LUCKY = { name: 'lucky', if: { chance: '5%' }, commands: COMMANDS };
const LOYAL = { name: 'loyal', when: 'always', commands: COMMANDS };

const compare = ({ control, app }: Controlled) => compareConfigFile(control, app.config, systemClock);

/** What the page needs of the comparison after this change of the file. */
async function afterChange(before: object, after: object) {
  const running = await controlledApp(before);
  writeConfig(running.config, after);
  const compared = await compare(running);
  if (compared.kind !== 'newer') throw new Error(JSON.stringify(compared));
  return compared;
}

describe('the config file beside what runs', () => {
  test('is the same until it is changed, and after a reload', async () => {
    const running = await controlledApp({ rewards: [DAILY] });
    expect(await compare(running)).toEqual({ kind: 'same' });
    writeConfig(running.config, { rewards: [LUCKY] });
    expect((await compare(running)).kind).toBe('newer');
    await running.control.reload();
    expect(await compare(running)).toEqual({ kind: 'same' });
  });

  test('is the same if only a comment was added', async () => {
    const running = await controlledApp();
    writeFileSync(running.config, `// mine\n${readFileSync(running.config, 'utf8')}`);
    expect(await compare(running)).toEqual({ kind: 'same' });
  });

  test('shows each value as it is written before and after, and what is left out as null', async () => {
    const site = (more: object) => ({ sites: { default: { token: TOKEN }, 'B.net': more } });
    const { changes, toApply } = await afterChange(
      { ...site({ cooldown: '24h', label: 'B' }), rewards: [DAILY] },
      { ...site({ cooldown: '12h' }), rewards: [DAILY], listener: { host: '127.0.0.1', port: 1 } },
    );
    expect(changes.map(({ key, kind, before, after }) => [key, kind, before, after])).toEqual([
      ['listener.port', 'changed', '0', '1'],
      ['sites["B.net"].cooldown', 'changed', '"24h"', '"12h"'],
      ['sites["B.net"].label', 'removed', '"B"', null],
    ]);
    expect(toApply).toBe('run `teller reload`, and restart Teller for listener.port');
  });

  test('shows an entry that is added or removed with all that is written in it, except its secrets', async () => {
    const real = { kind: 'rcon', port: 9, password: 'a-real-password' };
    const { changes } = await afterChange(
      { gameServers: { main: { kind: 'practice' }, real }, rewards: [{ ...DAILY, servers: ['main'] }] },
      {
        gameServers: { main: { kind: 'practice' } },
        rewards: [{ ...DAILY, servers: ['main'] }],
        sites: { default: { token: TOKEN }, 'B.net': { token: 'another-token-of-thirty-two-letters' } },
      },
    );
    expect(changes.map(({ key, kind, before, after }) => [key, kind, before, after])).toEqual([
      ['gameServers.real', 'removed', '{"kind":"rcon","port":9,"password":"(secret)"}', null],
      ['sites["B.net"]', 'added', null, '{"token":"(secret)"}'],
    ]);
  });

  test('shows of a secret in a file only which file it is, also if another one is in it', async () => {
    const file = join(temporaryFolder({ token: TOKEN }), 'token');
    const running = await controlledApp({ sites: { default: { token: `file:${file}` } } });
    writeFileSync(file, 'second-token-of-thirty-two-letters');
    const shown = JSON.stringify(`file:${file}`);
    expect(await compare(running)).toMatchObject({
      changes: [{ key: 'sites.default.token', before: shown, after: shown }],
      words: [],
    });
  });

  const secrets = Object.entries(CHANGES).filter(([key]) =>
    /token$|secret$|password$|^alarms\.url$|^events\[\]\.url$/i.test(key),
  );

  test.each(secrets)('shows no secret after a change of %s', async (_, [path, value, reported]) => {
    const before = await loadConfig(writeEntries(temporaryFolder(), FULL));
    const after = await loadConfig(writeEntries(temporaryFolder(), withValueAt(path, value)));
    const found = changesBetween(valuesOf(before.settings), valuesOf(after.settings));
    const change = shownChanges(found, before.settings, after.settings).find(({ key }) => key === reported);
    expect(change?.after).toBe('"(secret)"');
    expect([null, '"(secret)"']).toContain(change?.before);
  });

  test('finds a reward inside a `firstOf` as it is written', async () => {
    const { changes } = await afterChange(
      { rewards: [{ firstOf: [LUCKY, DAILY] }] },
      { rewards: [{ firstOf: [{ ...LUCKY, if: { chance: '10%' } }, DAILY] }] },
    );
    expect(changes).toMatchObject([{ key: 'rewards.lucky.if.chance', before: '"5%"', after: '"10%"' }]);
  });

  test('says what the changes mean', async () => {
    const { words } = await afterChange(
      { rewards: [DAILY, LUCKY], timeZone: 'UTC' },
      { rewards: [{ ...LUCKY, if: { chance: '10%' } }, LOYAL], timeZone: 'UTC' },
    );
    expect(words).toEqual([
      {
        ...{ kind: 'reward', name: 'lucky', change: 'changed' },
        before: [
          'Players get it for every vote, with a chance of 5%.',
          'won (5%): give {player} diamond 1',
          'nothing (95%)',
        ],
        after: [
          'Players get it for every vote, with a chance of 10%.',
          'won (10%): give {player} diamond 1',
          'nothing (90%)',
        ],
      },
      {
        ...{ kind: 'reward', name: 'loyal', change: 'added', before: [] },
        after: ['Players get it for every vote.', 'give {player} diamond 1', 'Paid on main at once.'],
      },
      {
        ...{ kind: 'reward', name: 'daily', change: 'removed', after: [] },
        before: [
          'Players get it for every vote.',
          'give {player} diamond 1',
          'Paid on main as soon as they are online there.',
        ],
      },
    ]);
  });

  test('says nothing in words of a change that promises nothing else', async () => {
    const { words } = await afterChange({}, { listener: { host: '127.0.0.1', port: 0, deadline: '9s' } });
    expect(words).toEqual([]);
  });

  test('shows every fault at once, with its line and what was perhaps meant, and no secret', async () => {
    const running = await controlledApp();
    writeFileSync(
      running.config,
      `{\n  "listner": {},\n  "sites": { "default": { "token": "hunter2-in-a-file-with-faults" } },\n  "rewards": [{ "name": "x", "commands": ["give {palyer} diamond"] }]\n}`,
    );
    const compared = await compare(running);
    expect(compared).toMatchObject({
      ...{ kind: 'refused', code: 'config-invalid' },
      faults: [
        { line: 2, code: 'config-unknown-key', sentence: naming("perhaps you meant 'listener'") },
        { line: 4, code: 'config-template', sentence: naming('perhaps you meant {player}') },
      ],
    });
    expect(JSON.stringify(compared)).not.toContain('hunter2');
  });

  test('is refused without faults if it cannot be read', async () => {
    const running = await controlledApp();
    rmSync(running.config);
    expect(await compare(running)).toMatchObject({ kind: 'refused', code: 'config-missing', faults: [] });
  });
});

describe('whether the file is newer', () => {
  test('is known from the looks at the files, and since when, until it is reloaded', async () => {
    const clock = new FakeClock();
    const { control, config, lines } = await controlledApp({ rewards: [DAILY] }, clock);
    const looked = async (code: string) => {
      clock.advance(WATCH_INTERVAL_MS);
      await expect.poll(() => lines.at(-1)?.code).toBe(code);
    };
    expect(control.file).toEqual({ kind: 'same' });
    writeConfig(config, { rewards: [LUCKY] });
    await looked('config-changed');
    const since = clock.now();
    expect(control.file).toEqual({ kind: 'newer', since });
    writeFileSync(config, '{');
    await looked('config-invalid');
    expect(control.file).toEqual({ kind: 'refused', since });
    writeConfig(config, { rewards: [LUCKY], listener: { host: '127.0.0.1', port: 1 } });
    await control.reload();
    expect(control.file).toEqual({ kind: 'newer', since });
    writeConfig(config, { rewards: [LUCKY] });
    await control.reload();
    expect(control.file).toEqual({ kind: 'same' });
  });
});
