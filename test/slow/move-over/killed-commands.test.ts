import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFirstConfig } from '../../../src/config/first-start.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { forwardText } from '../../../src/core/forward.ts';
import { olderConfigs } from '../../../src/operator/running-config.ts';
import { rulesOf } from '../../../src/votes/intake/rules.ts';
import { configFolder, writeKeyPair } from '../../support/config-folder.ts';
import { controlledApp } from '../../support/controlled.ts';
import { ledgerAt } from '../../support/dying.ts';
import { placeEmptyLedger } from '../../support/empty-ledger.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { arrival } from '../../support/votes.ts';
import { voteTo } from '../../support/votes-to.ts';
import { nuVotifierFiles, oldKeys, votingPluginFiles } from './plugins.ts';
import { killAtEachWrite, type Place, type Typed } from './typed-again.ts';

const SAMPLES = join(import.meta.dirname, '../../plugins/samples');
const TOKEN = 'the-token-of-the-old-listener';

const pluginFiles = () => {
  const setup = {
    keys: oldKeys(),
    port: 8199,
    tokens: { default: TOKEN, 'F.example': 'its-own' },
  };
  return { ...nuVotifierFiles(setup), ...votingPluginFiles() };
};

const folderOf = (files: Readonly<Record<string, string>>): Place => ({ folder: temporaryFolder(files) });

/** Before the first start of Teller, as in the guide. */
const beforeStart = async (): Promise<Place> => folderOf(pluginFiles());

/** After it: there are a config, a key pair and a token that no vote has used. */
async function afterStart(): Promise<Place> {
  const place = folderOf(pluginFiles());
  await createFirstConfig(place.folder, fixedRandom(7));
  return place;
}

/** After the listener was imported. */
async function afterListener(): Promise<Place> {
  const place = await afterStart();
  writeKeyPair(join(place.folder, 'data/keys'));
  return place;
}

const REWARDS = [{ name: 'fifties', if: { votes: { every: 50 } }, commands: ['give {player} emerald 1'] }];

/** There is a ledger, and Teller is not running. */
function withLedger(config: object): {
  readonly folder: string;
  readonly config: string;
  readonly ledger: string;
} {
  const place = configFolder({ rewards: REWARDS, ...config });
  mkdirSync(join(place.folder, 'data'), { recursive: true });
  placeEmptyLedger(place.ledger);
  return place;
}

/** Players have totals, runs and last votes; a few entries cannot be read, so the exit code is 1. */
async function withPlayers(): Promise<Place> {
  const { folder } = withLedger({ sites: { 'PlanetMinecraft.com': {}, 'MCList.example': {} } });
  cpSync(SAMPLES, join(folder, 'plugins'), { recursive: true });
  writeFileSync(
    join(folder, 'votes.csv'),
    'player,service,time\nSteve,List,2026-06-01T10:00Z\nAlex,List,2026-06-02T10:00Z\n',
  );
  return { folder };
}

/** Two forwards of which nobody can know whether they arrived. */
async function withHeldForwards(): Promise<Place> {
  const old = { kind: 'votifier', port: 9, token: TOKEN, pays: true };
  const {
    folder,
    config,
    ledger: file,
  } = withLedger({
    gameServers: { main: { kind: 'practice' }, old },
    pay: { mode: 'shadow' },
  });
  const { ledger } = ledgerAt(file);
  const rules = rulesOf(await loadConfig(config), 'UTC');
  const at = Date.UTC(2026, 5, 1, 12);
  for (const player of ['Steve', 'Alex']) {
    const forward = forwardText({ service: 'List', player, address: '192.0.2.7', at });
    await ledger.record({ ...arrival({ player, receivedAt: at, castAt: at }), rules, forward }, null);
  }
  await ledger.holdOrphaned(new Map([['main', 'practice']]), at);
  await ledger.close();
  return { folder };
}

/** Teller is running, and its config was changed since. */
async function whileRunning(): Promise<Place> {
  const { folder, config } = await controlledApp();
  const written = JSON.parse(readFileSync(config, 'utf8'));
  writeFileSync(config, JSON.stringify({ ...written, pay: { mode: 'shadow' } }));
  return { folder, more: async () => (await olderConfigs(await loadConfig(config))).length };
}

/** Teller is running, and a vote of a service without an entry waits. */
async function withUnlisted(): Promise<Place> {
  const { folder, config, app } = await controlledApp({ rewards: REWARDS });
  for (const service of ['My-List.com', 'Other-List.org'])
    expect(await voteTo(app.listener.port, 'Steve', service)).toMatchObject({ kind: 'accepted' });
  const decisions = async () => (await app.ledger.votes({ limit: 9 })).map(({ decision }) => decision);
  const more = async () => {
    expect(await olderConfigs(await loadConfig(config))).toEqual([]);
    await expect.poll(decisions).toEqual(['rewarded', 'rewarded']);
  };
  return { folder, more };
}

const COMMANDS: readonly (readonly [line: string, when: string, typed: Omit<Typed, 'words'>])[] = [
  ['import nuvotifier plugins/Votifier', ' before the first start', { prepare: beforeStart }],
  ['import nuvotifier plugins/Votifier', ' after the first start', { prepare: afterStart }],
  ['import votingplugin plugins/VotingPlugin', '', { prepare: afterListener }],
  [
    'import players votingplugin plugins/votingplugin --data plugins/votingplugin/users.tsv',
    '',
    { prepare: withPlayers, code: 1 },
  ],
  ['import votes votes.csv', '', { prepare: withPlayers }],
  ['sites add My-List.com Other-List.org --yes', ' while Teller runs', { prepare: withUnlisted }],
  ['reload', ' while Teller runs', { prepare: whileRunning }],
  ['grants mark-paid 1 2', '', { prepare: withHeldForwards, again: 1 }],
  ['grants pay 1 2', '', { prepare: withHeldForwards, again: 1 }],
];

test.each(COMMANDS)(
  'teller %s%s, killed at a write and typed again, does everything once',
  async (line, _, typed) => {
    expect(await killAtEachWrite({ ...typed, words: line.split(' ') })).toBeGreaterThan(0);
  },
);
