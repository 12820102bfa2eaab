/** Commands of the guide to move over, each of which can be typed again after it was killed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { eachWrite } from '../kit/each-write.ts';
import { furnish, type Place } from '../kit/place.ts';
import { recorded, story } from './story.ts';

const LISTENER = `host: 127.0.0.1
port: 8199
disable-v1-protocol: false
tokens:
  default: the-token-of-the-old-listener
  F.example: its-own
forwarding:
  method: none
`;

const SITES = `EverySiteReward:
  Commands:
    - 'pay %player% for %ServiceSite%'
VoteSites:
  MyList:
    Enabled: true
    ServiceSite: My-List.com
    VoteDelay: 24
`;

/** The folders of both plugins beside the config. */
function withPlugins(place: Place): Place {
  const { privateKey, publicKey } = inject('keyPair');
  const files = {
    'plugins/Votifier/config.yml': LISTENER,
    'plugins/Votifier/rsa/private.key': privateKey,
    'plugins/Votifier/rsa/public.key': publicKey,
    'plugins/VotingPlugin/Config.yml': 'DataStorage: SQLITE\n',
    'plugins/VotingPlugin/VoteSites.yml': SITES,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, name)), { recursive: true });
    writeFileSync(join(place.folder, name), text);
  }
  return place;
}

/** Before the first start of Teller. */
function untouched(folder: string): Place {
  const place = furnish(folder);
  for (const made of ['config.json', 'data']) rmSync(join(folder, made), { recursive: true });
  return withPlugins(place);
}

/** What a kill leaves behind, and copies that are kept. */
const isLeftOver = (file: string): boolean => /\.(draft|old)$|\.\d{4}-\d\d-\d\dT/.test(file);

/** Config, keys and secrets, by file. */
function filesOf({ folder }: Place): Record<string, string> {
  const names = ['', 'data/keys', 'data/secrets']
    .filter((below) => existsSync(join(folder, below)))
    .flatMap((below) =>
      readdirSync(join(folder, below), { withFileTypes: true })
        .filter((each) => each.isFile() && !isLeftOver(each.name))
        .map(({ name }) => join(below, name)),
    );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Nobody else can read a secret, also one that a kill left behind. */
function expectClosed({ folder }: Place): void {
  for (const below of ['data/keys', 'data/secrets'].filter((name) => existsSync(join(folder, name))))
    for (const name of readdirSync(join(folder, below)).filter((file) => !file.startsWith('public')))
      expect([name, statSync(join(folder, below, name)).mode & 0o077]).toEqual([name, 0]);
}

const intoConfig = (folder: string): Place => withPlugins(furnish(folder));

// Exit code 1: listings still need the values that Teller kept.
test.each([
  ['import nuvotifier plugins/Votifier', 'before the first start', 0, untouched],
  ['import nuvotifier plugins/Votifier --keep-existing', 'into a config', 1, intoConfig],
  ['import votingplugin plugins/VotingPlugin', 'into a config', 0, intoConfig],
])(
  '`teller %s` %s, killed and typed again, writes the same files',
  { timeout: 300_000 },
  async (line, _, exit, prepare) => {
    let whole: Record<string, string> | null = null;
    const killed = await eachWrite({
      prepare: async (folder) => prepare(folder),
      act: async (scene) => {
        const [command = '', kind = '', from = '', ...flags] = line.split(' ');
        const { code, err } = await scene.type(command, kind, join(scene.folder, from), ...flags);
        expect([code, err]).toEqual([exit, expect.any(String)]);
      },
      same: async (scene) => {
        const files = filesOf(scene);
        whole ??= files;
        expect(files).toEqual(whole);
        expectClosed(scene);
        expect(await typedHere(scene, 'config', 'check', scene.config)).toMatchObject({ exit: 0 });
      },
    });
    expect(killed).toBeGreaterThan(1);
  },
);

story('votes that are imported again after kill -9 are recorded once', 4, () => ({
  prepare: async (place) => {
    const rows = ['player,service,time', 'Steve,List,2026-06-01T10:00Z', 'Alex,List,2026-06-02T10:00Z'];
    writeFileSync(join(place.folder, 'votes.csv'), `${rows.join('\n')}\n`);
    await recorded(place, []);
  },
  act: async (scene) => {
    const { code, err } = await scene.type('import', 'votes', join(scene.folder, 'votes.csv'));
    expect([code, err]).toEqual([0, expect.any(String)]);
  },
  same: async ({ votes, grants, scene }) => {
    expect([votes.length, grants]).toEqual([2, []]);
    for (const name of ['Steve', 'Alex']) {
      const { json } = await typedHere(scene, 'players', 'show', name, '--json');
      expect(json[0].votes).toBe(1);
    }
  },
}));

story('players who are imported again after kill -9 have their figures once', 12, () => ({
  prepare: async (place) => {
    const rows = Array.from({ length: 60 }, (_, at) => `Player${at},${at + 1},${at % 7}`);
    writeFileSync(join(place.folder, 'players.csv'), `player,total,month\n${rows.join('\n')}\n`);
    await recorded(place, [{ player: 'Player7' }]);
  },
  act: async (scene) => {
    const { code, err } = await scene.type('import', 'players', 'table', join(scene.folder, 'players.csv'));
    expect([code, err]).toEqual([0, expect.any(String)]);
  },
  same: async ({ scene }) => {
    // The vote that the ledger had of Player7 is one of the eight.
    for (const [name, votes] of [
      ['Player0', 1],
      ['Player7', 8],
      ['Player59', 60],
    ] as const) {
      const { json } = await typedHere(scene, 'players', 'show', name, '--json');
      expect(json[0].votes).toBe(votes);
      expect(json[0].balances.filter(({ what }: { what: string }) => what === 'total')).toHaveLength(1);
    }
  },
}));
