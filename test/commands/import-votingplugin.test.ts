import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { typed } from '../kit/typed.ts';
import { writeKeyPair } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../plugins/samples');

interface Row {
  readonly what: string;
  readonly result: string;
  readonly sentence: string;
}

/** A Teller's folder with these files, into which a plugin's config is imported. */
function setting(teller: Readonly<Record<string, string>> = {}, name = 'config.json', hasKeys = true) {
  const into = temporaryFolder(teller);
  if (hasKeys) writeKeyPair(path.join(into, 'data/keys'));
  const file = path.join(into, name);
  const run = (...words: string[]) =>
    typed(['import', ...words], file, new FakeClock('2026-06-01T12:00:00Z'));
  const results = async (...words: string[]) => {
    const { json, exit } = await run(...words, '--json');
    const all: readonly Row[] = json;
    const written = all.filter(({ result }) => result !== 'not-imported');
    return { exit, rows: written.map(({ what, result }) => `${result} ${what}`), all };
  };
  const text = (of = name) => readFileSync(path.join(into, of), 'utf8');
  return { into, file, run, results, text };
}

const VOTING = path.join(SAMPLES, 'votingplugin');

describe('import votingplugin', () => {
  test('creates a config with its sites and rewards, which loads, and finds everything unchanged the second time', async () => {
    const { results, file, text } = setting();
    const { exit, rows, all } = await results('votingplugin', VOTING);
    expect(exit).toBe(0);
    expect(rows).toContain('taken site MCList.example');
    expect(rows).toContain('replaced rewards thanks, each-vote, daily');
    const config = await loadConfig(file);
    expect([...config.sites.keys()]).toEqual([
      ...['default', 'PlanetMinecraft.com', 'MCList.example', 'lucky.example'],
    ]);
    expect(config.rewards.map(({ name }) => name).slice(0, 3)).toEqual([
      ...['every-site', 'PlanetMinecraft', 'MCList'],
    ]);
    expect(config.rewards.map(({ name }) => name)).not.toContain('daily');
    expect(all.filter(({ result }) => result === 'not-imported')).toHaveLength(27);
    const before = text();
    const again = await results('votingplugin', VOTING);
    expect(again.rows.filter((row) => !row.startsWith('same '))).toEqual([]);
    expect([again.exit, text()]).toEqual([0, before]);
  });

  test('shows with --dry-run what it would write, and writes nothing', async () => {
    const { run, file, into } = setting({}, 'config.json', false);
    const { out, err, exit } = await run('votingplugin', VOTING, '--dry-run');
    expect(exit).toBe(0);
    expect(out).toMatch(/^taken +reward PlanetMinecraft +into rewards$/m);
    expect(out).toContain('"message": "&aThanks for voting on {site}!"');
    expect(err).toContain('without --dry-run');
    expect([existsSync(file), existsSync(path.join(into, 'data'))]).toEqual([false, false]);
  });

  test('adds to entries that exist, such as those with the tokens of the listings, and keeps comments', async () => {
    const config = `{
  // mine
  "sites": { "MCList.example": { "token": "0123456789abcdef" } },
  "rewards": [
    { "name": "own", "commands": ["say own"] } // the first
  ]
}
`;
    const { results, text, file } = setting({ 'config.json': config });
    const { exit, rows } = await results('votingplugin', VOTING);
    expect(exit).toBe(0);
    expect(rows.filter((row) => row.includes('MCList.example'))).toEqual([
      'taken label of site MCList.example',
      'taken cooldown of site MCList.example',
      'taken url of site MCList.example',
    ]);
    expect(text()).toContain('// mine');
    expect(text()).toContain('// the first');
    const loaded = await loadConfig(file);
    expect(loaded.sites.get('MCList.example')?.token?.reveal()).toBe('0123456789abcdef');
    expect(loaded.rewards.map(({ name }) => name).slice(0, 2)).toEqual(['own', 'every-site']);
  });

  test('replaces the rewards of a first start also where several game servers make them faulty', async () => {
    const gameServers = { lobby: { kind: 'practice' }, survival: { kind: 'practice' } };
    const example = path.resolve(import.meta.dirname, '../../config.example.json');
    const { rewards } = JSON.parse(readFileSync(example, 'utf8'));
    for (const config of [{ gameServers, rewards }, { gameServers }]) {
      const { run, results, file } = setting({ 'config.json': JSON.stringify(config) });
      const { err } = await run('votingplugin', VOTING);
      expect(err).toContain('[usage]');
      const { exit, rows } = await results('votingplugin', VOTING, '--servers', 'where-online');
      expect([exit, rows]).toEqual([
        0,
        expect.arrayContaining(['replaced rewards thanks, each-vote, daily']),
      ]);
      expect((await loadConfig(file)).rewards.map(({ name }) => name)).not.toContain('thanks');
    }
  });

  test('pays on the game server that a player is on, and says which rewards wait for it', async () => {
    const gameServers = { lobby: { kind: 'practice' }, survival: { kind: 'practice' } };
    const { results, file } = setting({ 'config.json': JSON.stringify({ gameServers, rewards: [] }) });
    const { all } = await results('votingplugin', VOTING, '--servers', 'where-online');
    expect(all).toContainEqual(
      expect.objectContaining({ result: 'not-imported', what: 'when of reward MCList' }),
    );
    const { rewards } = await loadConfig(file);
    const both = ['lobby', 'survival'];
    expect(rewards.map(({ whereOnline, servers, when }) => [whereOnline, servers, when])).toEqual(
      rewards.map(() => [true, both, 'online']),
    );
  });
});

test('import of a converted config does not overwrite what the operator has: it writes nothing, or the rest with --keep-existing', async () => {
  const own = JSON.stringify({
    sites: { 'MCList.example': { cooldown: '20h' } },
    rewards: [{ name: 'every-site', commands: ['say mine'] }],
  });
  const { results, text, file } = setting({ 'config.json': own });
  const { exit, rows } = await results('votingplugin', VOTING);
  const kept = ['kept cooldown of site MCList.example', 'kept reward every-site'];
  expect([exit, rows.filter((row) => !/^(blocked|same) /.test(row)), text()]).toEqual([1, kept, own]);
  const rest = await results('votingplugin', VOTING, '--keep-existing');
  expect([rest.exit, rest.rows]).toEqual([1, expect.arrayContaining(kept.slice(0, 1))]);
  const config = await loadConfig(file);
  expect(config.rewards.map(({ name }) => name).slice(0, 2)).toEqual(['every-site', 'PlanetMinecraft']);
  expect([...config.sites.keys()]).toContain('PlanetMinecraft.com');
});

test('the first of many keys are printed, and how many there are, and --json has all', async () => {
  const plugin = temporaryFolder({
    'Config.yml': ['A', 'B', 'C', 'D', 'E'].map((key) => `Unknown${key}: 1\n`).join(''),
    'VoteSites.yml': readFileSync(path.join(VOTING, 'VoteSites.yml'), 'utf8'),
  });
  const { run, results } = setting();
  const { out } = await run('votingplugin', plugin, '--dry-run');
  expect(out).toContain('Config.yml: UnknownA, UnknownB, UnknownC and 2 more  ');
  expect((await results('votingplugin', plugin, '--dry-run')).all).toContainEqual(
    expect.objectContaining({ what: 'Config.yml: UnknownA, UnknownB, UnknownC, UnknownD, UnknownE' }),
  );
});

test('import votingplugin is refused for a folder without it, or with a file that is no YAML mapping, and found in that of the server in any case', async () => {
  const { run } = setting();
  for (const [files, code] of [
    [{}, 'import-nothing'],
    [{ 'VoteSites.yml': 'a: [' }, 'import-unreadable'],
    [{ 'VoteSites.yml': '- a\n' }, 'import-unreadable'],
  ] as const) {
    const { err, exit } = await run('votingplugin', temporaryFolder(files));
    expect([exit, err]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  }
  const server = temporaryFolder({ 'plugins/VotingPlugin/votesites.yml': 'VoteSites: {}\n' });
  expect((await run('votingplugin', server, '--dry-run')).out).toContain(
    path.join(server, 'plugins/VotingPlugin'),
  );
});
