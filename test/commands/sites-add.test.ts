import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { clerk } from '../kit/clerk.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const TEXT = `{
  "//": "mine",
  "listener": { "host": "127.0.0.1",   "port": 0 },
  "sites": {
    "default": { "token": "hunter2-of-the-config" },
    "Listed.net": { "label": "Listed" }
  }
}
`;
const YES = { answers: [true] };

/** A handwritten config, and a ledger with a signed vote for each of these services and one that an operator added for each of those. */
async function scene(
  signed: readonly string[] = ['My-List.com'],
  claimed: readonly string[] = [],
): Promise<Here> {
  const config = { sites: { default: { token: TOKEN } }, rewards: [] };
  const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
  for (const [n, site] of signed.entries()) expect(await teller.vote({ player: `P${n}`, site })).toBe('ok');
  for (const site of claimed) await teller.run('votes', 'add', '--player', 'Steve', '--site', site);
  await teller.stop();
  writeFileSync(teller.config, TEXT);
  return teller;
}

const textOf = ({ config }: Desk): string => readFileSync(config, 'utf8');
const sitesOf = async (config: string): Promise<string[]> => [...(await loadConfig(config)).sites.keys()];

describe('sites add', () => {
  test('adds a proven name, prints the lines that change, and leaves the rest of the file alone', async () => {
    const one = await scene();
    chmodSync(one.config, 0o640);
    const { out, exit, asked } = await one.runBy({}, 'sites', 'add', 'My-List.com');
    expect([exit, asked]).toEqual([0, []]);
    expect(out.split('\n')).toEqual([
      '-     "Listed.net": { "label": "Listed" }',
      '+     "Listed.net": { "label": "Listed" },',
      '+     "My-List.com": {}',
    ]);
    expect(textOf(one)).toBe(TEXT.replace('"Listed" }', '"Listed" },\n    "My-List.com": {}'));
    expect(await sitesOf(one.config)).toEqual(['default', 'Listed.net', 'My-List.com']);
    expect(statSync(one.config).mode & 0o777).toBe(0o640);
  });

  test('adds the page where players vote, also to a site that is already listed', async () => {
    const one = await scene();
    const url = 'https://my-list.com/vote';
    expect((await one.run('sites', 'add', 'My-List.com', '--url', url)).exit).toBe(0);
    const moved = await one.run('sites', 'add', 'Listed.net', '--url', `${url}?2`);
    expect([moved.exit, moved.err]).toEqual([0, naming('changed', 'Listed.net')]);
    const { sites } = await loadConfig(one.config);
    expect(['My-List.com', 'Listed.net'].map((name) => sites.get(name)?.url)).toEqual([url, `${url}?2`]);
    expect(sites.get('Listed.net')?.label).toBe('Listed');
    const again = await one.run('sites', 'add', 'Listed.net', '--url', `${url}?2`);
    expect([again.out, again.err]).toEqual(['', naming('nothing to add')]);
  });

  test('accepts a name as `sites` prints it, and a name that already has an entry', async () => {
    const one = await scene(['a\u202Eb']);
    expect((await one.run('sites', 'add', '"a\\u202eb"', 'Listed.net')).exit).toBe(0);
    expect(await sitesOf(one.config)).toContain('a\u202Eb');
    expect((await one.run('sites', 'add', 'Listed.net')).out).toBe('');
  });

  test.each([
    ...['default', ' default ', '$schema', '//comment', '__proto__', 'x'.repeat(129), 'x'.repeat(300)].map(
      (name) => [name],
    ),
    [],
    ['My-List.com', '--url', 'my-list.com/vote'],
    ['My-List.com', 'Other.net', '--url', 'https://my-list.com/'],
  ])('%j %j is wrong usage and not a config error, and nothing is written', async (...words) => {
    const one = clerk();
    writeFileSync(one.config, TEXT);
    const { exit, err } = await one.run('sites', 'add', '--yes', ...words);
    expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
    expect(err).not.toContain('config-');
    expect(textOf(one)).toBe(TEXT);
  });

  test('does not overwrite a config that changes while the operator is asked', async () => {
    const one = await scene();
    const changing = { answers: [true], meanwhile: () => writeFileSync(one.config, `${TEXT}\n`) };
    const { exit, err } = await one.runBy(changing, 'sites', 'add', 'New.com');
    expect([exit, err]).toEqual([1, expect.stringContaining('[config-changed]')]);
    expect(textOf(one)).toBe(`${TEXT}\n`);
  });
});

describe('an entry for a name that no signed v2 vote has proven', () => {
  test.each(['Forged', 'Never-Seen.com'])(
    'is added only when the operator agrees to the risk, of each name: %s',
    async (name) => {
      const one = await scene([], ['Forged']);
      const refused = await one.runBy({}, 'sites', 'add', name);
      expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('[not-confirmed]')]);
      expect(refused.asked).toEqual([naming(name, /public key/)]);
      expect((await one.run('sites', 'add', name)).exit).toBe(2);
      expect(textOf(one)).toBe(TEXT);
      expect((await one.runBy(YES, 'sites', 'add', name, 'Another')).asked).toHaveLength(2);
      expect(await sitesOf(one.config)).toEqual(expect.arrayContaining([name, 'Another']));
    },
  );

  test('is asked about also after a signed vote if a listed name is spelt like it, which would be rewarded twice', async () => {
    const one = await scene(['LISTED.net']);
    const alike = naming('LISTED.net', 'Listed.net');
    for (const [words, question] of [
      [['LISTED.net'], alike],
      [['--proven'], alike],
      [['Listed.nett'], naming('Listed.nett', 'Listed.net')],
    ] as const) {
      const { exit, asked } = await one.runBy({}, 'sites', 'add', ...words);
      expect([exit, asked, textOf(one)]).toEqual([1, [question], TEXT]);
    }
    expect(await one.run('sites', 'add', 'LISTED.net')).toMatchObject({ exit: 2 });
    expect(await one.run('sites', 'add', 'LISTED.net', '--yes')).toMatchObject({ exit: 0 });
  });
});

describe('the names that were seen', () => {
  test('are listed with their proof, except those that have an entry or can have none', async () => {
    const one = await scene(['Signed.com', 'Listed.net', 'Teller test', '// x'], ['Forged', 'Signed.com']);
    const { json, exit } = await one.run('sites', 'add', '--seen', '--json');
    const rows = json.map(({ service, proof, votes }: Record<string, unknown>) => [service, proof, votes]);
    expect([exit, rows.sort()]).toEqual([
      0,
      [
        ['Forged', 'claimed', 1],
        ['Signed.com', 'signed', 2],
      ],
    ]);
    expect(textOf(one)).toBe(TEXT);
  });

  test('are added with --proven, without asking, only if they are proven', async () => {
    const one = await scene(['Signed.com', 'Listed.net'], ['Forged']);
    const { exit, asked } = await one.runBy({}, 'sites', 'add', '--proven');
    expect([exit, asked]).toEqual([0, []]);
    expect(await sitesOf(one.config)).toEqual(['default', 'Listed.net', 'Signed.com']);
  });
});

describe('sites add while a Teller is running', () => {
  const DEFAULT = { default: { token: TOKEN } };
  const add = (teller: Here, answers: readonly boolean[], ...words: string[]) =>
    teller.runBy({ answers }, 'sites', 'add', ...words);
  /** Whether the running Teller lacks what the file has. */
  const isOlder = async ({ run }: Here) => (await run('sites')).out.startsWith('note: ');

  test('gives the new site its window at once', async () => {
    const teller = await here({ sites: DEFAULT });
    const { exit, out } = await add(teller, [true], 'My-List.com');
    expect([exit, out]).toEqual([0, naming(String(process.pid))]);
    expect(await isOlder(teller)).toBe(false);
    expect(await sitesOf(teller.config)).toContain('My-List.com');
  });

  test('reloads for an entry that the running Teller lacks, as after a kill before the reload, and asks about other changes alone', async () => {
    const teller = await here({ sites: DEFAULT });
    rewrite(teller, { sites: { ...DEFAULT, 'My-List.com': {} } });
    const lacking = await add(teller, [false], 'My-List.com');
    expect(lacking).toMatchObject({
      exit: 0,
      err: naming('nothing to add'),
      out: naming(String(process.pid)),
    });
    expect(await add(teller, [false], 'My-List.com')).toMatchObject({ exit: 0, out: '' });

    rewrite(teller, { sites: { ...DEFAULT, 'My-List.com': {}, 'Other.org': {} } });
    expect(await add(teller, [false], 'My-List.com')).toMatchObject({ exit: 0, out: '' });
    expect((await add(teller, [false], '--proven')).exit).toBe(1);
    expect(await isOlder(teller)).toBe(true);
    const agreed = await add(teller, [true], '--proven');
    expect(agreed).toMatchObject({ exit: 0, asked: [expect.stringContaining('reloads the config')] });
    expect(await isOlder(teller)).toBe(false);
  });

  test('shows other changes in the file, and writes nothing unless the operator agrees', async () => {
    const teller = await here({ sites: DEFAULT });
    rewrite(teller, { sites: DEFAULT, rewards: [] });
    const changed = textOf(teller);
    const { exit, err } = await add(teller, [true, false], 'My-List.com');
    expect([exit, err]).toEqual([1, expect.stringContaining('rewards')]);
    expect(textOf(teller)).toBe(changed);
    expect((await add(teller, [true], 'My-List.com')).exit).toBe(0);
    expect(await isOlder(teller)).toBe(false);
  });
});

describe('sites add for a list that is publicly known', () => {
  test('names its window and what its vote page looks like, and writes nothing that the entry inherits', async () => {
    const one = await scene(['MinecraftServers.org']);
    const { err } = await one.run('sites', 'add', 'MinecraftServers.org');
    expect(err).toEqual(
      naming('minecraftservers.org', '24 h', 'https://minecraftservers.org/vote/…', '--url'),
    );
    expect(textOf(one)).toContain('"MinecraftServers.org": {}');
    const other = await (await scene()).run('sites', 'add', 'minecraftservers.ORG', '--yes');
    expect(other.err).not.toContain('known');
  });

  test('writes its window where `default` has another one', async () => {
    const one = clerk({ sites: { default: { token: TOKEN, cooldown: '12h' } } });
    const url = 'https://www.planetminecraft.com/server/mine/vote/';
    const written = { cooldown: '24h', url };
    expect(
      (await one.run('sites', 'add', 'PlanetMinecraft.com', '--yes', '--json', '--url', url)).json,
    ).toMatchObject([{ known: [{ list: { domain: 'planetminecraft.com' }, written }] }]);
    expect(JSON.parse(textOf(one)).sites['PlanetMinecraft.com']).toEqual(written);
  });
});

describe('sites add for a service whose votes waited for an entry', () => {
  const DEFAULT = { default: { token: TOKEN } };
  const decisions = async ({ run }: Desk) =>
    (await run('votes', '--json')).json.map(({ decision }: { decision: string }) => decision);

  /** Steve voted on One, and then on Two and on Three. None is listed. */
  async function waiting(): Promise<Here> {
    const teller = await here({ sites: DEFAULT }, new FakeClock('2026-06-01T12:00:00Z'));
    for (const site of ['One', 'Two', 'Three']) await teller.vote({ player: 'Steve', site });
    return teller;
  }

  test('says how many are paid at the next start, which pays them, and explain says so', async () => {
    const teller = await waiting();
    await teller.stop();
    const { exit, err } = await teller.run('sites', 'add', 'Two', '--yes');
    expect([exit, err]).toEqual([0, naming('1 vote', 'next starts')]);
    expect(await decisions(teller)).toEqual(['unlisted', 'unlisted', 'rewarded']);
    teller.clock.jump(11 * 86_400_000);
    await teller.restart();
    await teller.until(async () => (await decisions(teller)).join() === 'unlisted,rewarded,rewarded');
    await teller.untilGrants('delivered', 'delivered');
    const [, two] = (await teller.run('explain', 'Steve', '--json')).json;
    expect(two.decidedAgain).toEqual({ at: expect.stringMatching(/^2026-06-12T12:00:/), takenBy: 1 });
    expect((await teller.run('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming('listed', two.decidedAgain.at, 'Two', 'unlisted', 'vote 1'),
    );
  });

  test('pays them at once where Teller runs, also if the entry is written by hand, and --json has how many', async () => {
    const teller = await waiting();
    await teller.reload({ sites: { ...DEFAULT, Three: {} } });
    await teller.until(async () => (await decisions(teller)).join() === 'rewarded,unlisted,rewarded');
    expect((await teller.run('sites', 'add', 'Two', '--yes', '--json')).json).toMatchObject([
      { added: ['Two'], waiting: 1 },
    ]);
    await teller.untilGrants('delivered', 'delivered', 'delivered');
    expect(await decisions(teller)).toEqual(['rewarded', 'rewarded', 'rewarded']);
  });
});
