import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { check } from '../kit/check.ts';
import { clerk } from '../kit/clerk.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, refused, tableIn } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';

const DEFAULT = { default: { token: TOKEN } };
const URL_OF_MINE = 'https://my-list.com/server/1077/vote';
const DAY = 86_400_000;
const FORGED = 'a-token-that-is-not-ours-at-all';

const noon = () => new FakeClock('2026-06-01T12:00:00Z');

/** Bytes of somebody who connects to the listener and speaks no Votifier. */
async function noise({ port, until }: Here, bytes: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes));
  socket.on('error', () => {}).resume();
  await until(() => socket.closed);
}

const rowsOf = async ({ run }: Desk) => (await run('sites', '--json')).json;

/** Until these refusals are stored. */
const untilRefused = ({ until, ...one }: Here, count: number): Promise<void> =>
  until(async () => {
    const rows: { refusals: { count: number }[]; noise?: { count: number }[] }[] = await rowsOf(one);
    const counts = rows.flatMap(({ refusals, noise: noises = [] }) => [...refusals, ...noises]);
    return counts.reduce((sum, each) => sum + each.count, 0) >= count;
  });

test('sites lists every service with its votes, refusals and their likely cause, the page where players vote on it, and the entry to add for unlisted ones', async () => {
  const sites = {
    default: { token: TOKEN, url: 'https://all.example/' },
    ...{ 'My-List.com': { url: URL_OF_MINE }, 'Silent.example': {} },
  };
  const teller = await here({ sites }, new FakeClock('2026-05-20T12:00:00Z'));
  await teller.vote({ player: 'Steve', site: 'Ancient', token: FORGED });
  await untilRefused(teller, 1);
  teller.clock.sleep(12 * DAY);
  for (const site of ['My-List.com', 'My-List.com', 'Other.net']) {
    teller.clock.sleep(1_000);
    await teller.vote({ player: 'Steve', site });
  }
  for (const site of ['My-List.com', 'My-List.com', 'My-Lst.com'])
    await teller.vote({ player: 'Steve', site, token: FORGED });
  await noise(teller, 'x'.repeat(256));
  for (const _ of [1, 2]) await noise(teller, 'GET / HTTP/1.1\r\n\r\n');
  await untilRefused(teller, 6);

  // The latest vote first, and then sites without votes.
  const { out, exit } = await teller.run('sites');
  const [never, at] = [expect.stringMatching(/^\D+$/), expect.stringMatching(/^2026-06-01T/)];
  expect(exit).toBe(0);
  expect(tableIn(out).slice(0, 5)).toEqual([
    ['SERVICE', 'ENTRY', 'LAST VOTE', 'TODAY', 'REWARDED', 'COOLDOWN', 'WAITING', 'OTHER', 'REFUSED'],
    ['Other.net', 'unlisted', at, '1', '1', '0', '0', '0', '0'],
    ['My-List.com', 'own', at, '2', '1', '1', '0', '0', '2'],
    ['My-Lst.com', 'unlisted', never, '0', '0', '0', '0', '0', '1'],
    ['Silent.example', 'own', never, '0', '0', '0', '0', '0', '0'],
  ]);
  const advice = out.split('\n\n').at(-1);
  expect(advice).toEqual(naming('`teller sites add NAME`', /\n {2}"Other\.net": \{\}$/));
  expect(advice?.match(/^ {2}"/gm)).toHaveLength(1);
  expect(out).toContain(`\n\nWhere players vote:\n  My-List.com: ${URL_OF_MINE}\n`);
  expect(out).not.toMatch(/Ancient|all\.example/);
  expect(await rowsOf(teller)).toMatchObject([
    {
      ...{ service: 'Other.net', url: null, site: 'default', listed: false, lastVoteAt: at, today: 1 },
      ...{ decisions: { rewarded: 1 }, waiting: 0, refusals: [] },
      ...{ toAdd: '"Other.net": {}', perhapsMeant: null },
    },
    { service: 'My-List.com', url: URL_OF_MINE },
    { service: 'My-Lst.com', perhapsMeant: 'My-List.com', refusals: [{ code: 'v2-signature', count: 1 }] },
    { service: 'Silent.example' },
    { service: null },
  ]);

  // Whether a vote was accepted since is a line of its own.
  await teller.vote({ player: 'Alex', site: 'My-List.com' });
  const lines = (await teller.run('sites')).out.split('\n');
  const mine = lines.findIndex((line) => /^ {2}My-List\.com: (?!https)/.test(line));
  expect(lines.slice(mine, mine + 3)).toEqual([
    naming('My-List.com', '2', /2026-06-01T/),
    naming('127.0.0.1', '`teller keys`', '[v2-signature]'),
    expect.stringMatching(/^ {4}\S/),
  ]);
  const another = lines.findIndex((line) => line.startsWith('  My-Lst.com: '));
  expect(lines[another + 2]).not.toMatch(/^ {4}/);
  expect(lines).toContainEqual(naming(/^ {2}\(no service name/, /2026-06-01T/));
  expect(lines).toContainEqual(naming('7 days', '2 http'));
});

test('sites shows only the newest 50 names without an entry, and the rest with --all', async () => {
  const teller = await here({ sites: DEFAULT }, noon());
  for (let n = 0; n < 60; n++) await teller.vote({ player: 'Steve', site: `Scan${n}` });
  const { out, err } = await teller.run('sites');
  expect(out.match(/^Scan/gm)).toHaveLength(50);
  expect(err).toEqual(naming('10', '--all'));
  expect((await teller.run('sites', '--all')).out.match(/^Scan/gm)).toHaveLength(60);
});

/** Names that any sender may use, including those that are hard to write in JSON. */
function names(count: number): readonly string[] {
  const random = new Seeded(41);
  const letters = 'aZ09 ._-"\'\\/{}[]:,\t\r\n\0\u001b\u0085\u200d\u202e\u2028\ufeffßé日本語🎮👩';
  const fixed = ['', '日本', 'a"b', 'a\\"b', 'a\\b', ' padded ', 'x'.repeat(128), '//comment', '$schema'];
  const odd = ['default', '__proto__', 'constructor', 'y'.repeat(65)];
  const drawn = Array.from({ length: count }, () => random.text(1 + random.below(60), letters));
  return [...fixed, ...odd, ...drawn];
}

/** The config reads these as all services, as a comment, or not at all. */
const cannotBeListed = (name: string): boolean => /^(?:default$|__proto__$|\$schema$|\/\/)/.test(name);

const entriesIn = (text: string): readonly string[] => text.match(/^ {2}"(?:[^"\\]|\\.)*": \{\}/gm) ?? [];

test.each([
  ['voted', { token: TOKEN }, 40],
  // So many names are kept of one sender.
  ['was refused without a token', {}, 5],
])(
  'the entry printed for a service matches it when it is pasted into the config, for any name that %s',
  async (_, all, drawn) => {
    const teller = await here({ sites: { default: all } }, noon());
    const sent = names(drawn);
    for (const [n, site] of sent.entries()) await teller.vote({ player: `P${n}`, site });
    await teller.until(async () => (await rowsOf(teller)).length >= sent.length - 1);
    const entries = entriesIn((await teller.run('sites', '--all')).out);
    writeFileSync(teller.config, `{"sites": {"default": {"token": "${TOKEN}"}, ${entries.join(', ')}}}`);
    const rows: { service: string | null; listed: boolean }[] = await rowsOf(teller);
    const unlisted = rows.flatMap(({ service, listed }) => (listed || service === null ? [] : [service]));
    expect(unlisted.filter((name) => name !== '' && !cannotBeListed(name))).toEqual([]);
    expect(entries.length).toBeGreaterThan(drawn + 5);
  },
);

test('the entry printed for a service is the same in check and in --json, also for a name with quotes', async () => {
  const one = clerk({ sites: DEFAULT });
  for (const name of ['日本 "リスト"', '長'.repeat(100)]) {
    await one.vote('Steve', name);
    const entry = `${JSON.stringify(name)}: {}`;
    expect((await one.run('check', '--offline')).out).toContain(entry);
    expect(await rowsOf(one)).toContainEqual(expect.objectContaining({ service: name, toAdd: entry }));
  }
});

const My = 'My-List.com';

test.each([
  ['v2-signature', { token: FORGED }, {}, true],
  ['v2-unknown-service', {}, { sites: { default: {}, [My]: {} } }, true],
  ['site-protocol', {}, { sites: { ...DEFAULT, [My]: { protocols: ['v1'] } } }, true],
  ['site-address', {}, { sites: { ...DEFAULT, [My]: { from: ['203.0.113.0/24'] } } }, false],
  ['name-not-allowed', { player: '@a' }, {}, false],
  ['name-too-long', { player: 'x'.repeat(17) }, {}, false],
  ['name-unknown-prefix', { player: '!Steve' }, {}, false],
])(
  'a refusal from a service whose later votes were accepted %s is reported as probably fixed, unless another vote proves nothing about it',
  async (code, vote, config, isFixed) => {
    const sites = { ...DEFAULT, [My]: {} };
    const teller = await here({ sites, ...config }, noon());
    expect(await teller.vote({ player: 'Steve', site: My, ...vote })).not.toBe('ok');
    await untilRefused(teller, 1);
    rewrite(teller, { sites });
    await teller.run('reload');
    await teller.pass(1_000);
    expect(await teller.vote({ player: 'Steve', site: My })).toBe('ok');
    expect((await check(teller, '--offline')).marks(/^refusals/)).toEqual([
      isFixed ? 'ok refusals' : 'warning refusals',
    ]);
    const { out } = await teller.run('sites');
    expect(out).toContain(`[${code}]`);
    // Each refusal has a line with its cause; a second line says that it is probably fixed.
    expect(out.match(/^ {4}\S/gm)).toHaveLength(isFixed ? 2 : 1);
    expect(out.includes('players.bedrockPrefixes')).toBe(code === 'name-unknown-prefix');
  },
);

const found = async (one: Desk) => (await check(one, '--offline')).of('window-shared');

/** Steve votes within one day on two services without an entry. */
async function twoUnlisted(second = 'Two') {
  const one = clerk({ sites: DEFAULT });
  await one.vote('Steve', 'One', '2026-06-01T10:00:00Z');
  await one.vote('Steve', second, '2026-06-01T11:00:00Z');
  one.at('2026-06-01T12:00:00Z');
  return one;
}

test('a vote that got no reward because services without an entry share a window is a problem in check until the service has an entry, for a week, and waits in the list of sites and beside the entry to add', async () => {
  const one = await twoUnlisted();
  const toDo = naming(/teller sites add\b/, 'pays this vote');
  expect(await found(one)).toMatchObject([{ mark: 'problem', sentence: naming('1 vote', 'Two'), toDo }]);
  const { out } = await one.run('sites');
  expect(out.split('\n')).toContainEqual(naming('"Two": {}', '1 vote', '7 days'));
  expect((await rowsOf(one)).slice(0, 2)).toMatchObject([
    { service: 'Two', waiting: 1 },
    { service: 'One', waiting: 0 },
  ]);
  one.at('2026-06-09T12:00:00Z');
  expect(await found(one)).toEqual([]);
  one.at('2026-06-01T12:00:00Z');
  rewrite(one, { sites: { ...DEFAULT, Two: {} } });
  expect(await found(one)).toEqual([]);
});

test('a vote that got no reward because services without an entry share a window is not a problem if it was a second one on one service, or came from `teller send`, for which no command suggests an entry', async () => {
  const again = await twoUnlisted('One');
  expect(await found(again)).toEqual([]);
  expect((await again.run('explain', 'Steve')).out).not.toContain('votes reward');
  const one = await twoUnlisted('Teller test');
  expect(await found(one)).toEqual([]);
  for (const [name, ...words] of [['check', '--offline'], ['explain', 'Steve'], ['sites']] as const)
    expect((await one.run(name, ...words)).out, name).not.toContain('"Teller test": {}');
});

const TEXT = `{
  "//": "mine",
  "listener": { "host": "127.0.0.1",   "port": 0 },
  "sites": {
    "default": { "token": "hunter2-of-the-config" },
    "Listed.net": { "label": "Listed" }
  }
}
`;
/** A handwritten config, and a ledger with a signed vote for each of these services and one that an operator added for each of those. */
async function scene(
  signed: readonly string[] = ['My-List.com'],
  claimed: readonly string[] = [],
): Promise<Here> {
  const config = { sites: { default: { token: TOKEN } }, rewards: [] };
  const teller = await here(config, noon());
  for (const [n, site] of signed.entries()) expect(await teller.vote({ player: `P${n}`, site })).toBe('ok');
  for (const site of claimed) await teller.run('votes', 'add', '--player', 'Steve', '--site', site);
  await teller.stop();
  writeFileSync(teller.config, TEXT);
  return teller;
}

const textOf = ({ config }: Desk): string => readFileSync(config, 'utf8');
const sitesOf = async (config: string): Promise<string[]> => [...(await loadConfig(config)).sites.keys()];

test('sites add adds a proven name, prints the lines that change, and leaves the rest of the file alone', async () => {
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

test('sites add adds the page where players vote, also to a site that is already listed, and accepts a name as `sites` prints it', async () => {
  const one = await scene(['My-List.com', 'a\u202Eb']);
  const add = (...words: string[]) => one.run('sites', 'add', ...words);
  const url = 'https://my-list.com/vote';
  expect((await add('My-List.com', '--url', url)).exit).toBe(0);
  const moved = await add('Listed.net', '--url', `${url}?2`);
  expect(moved).toMatchObject({ exit: 0, err: naming('changed', 'Listed.net') });
  const { sites } = await loadConfig(one.config);
  expect(['My-List.com', 'Listed.net'].map((name) => sites.get(name)?.url)).toEqual([url, `${url}?2`]);
  expect(sites.get('Listed.net')?.label).toBe('Listed');
  const again = await add('Listed.net', '--url', `${url}?2`);
  expect([again.out, again.err]).toEqual(['', naming('nothing to add')]);
  expect((await add('"a\\u202eb"', 'Listed.net')).exit).toBe(0);
  expect(await sitesOf(one.config)).toContain('a\u202Eb');
  expect((await add('Listed.net')).out).toBe('');
});

test('sites add refuses names and addresses that no entry can have as wrong usage, not as a config error, and writes nothing', async () => {
  const one = clerk();
  writeFileSync(one.config, TEXT);
  const names = ['default', ' default ', '$schema', '//comment', '__proto__'];
  for (const words of [
    ...[...names, 'x'.repeat(129), 'x'.repeat(300)].map((name) => [name]),
    [],
    ['My-List.com', '--url', 'my-list.com/vote'],
    ['My-List.com', 'Other.net', '--url', 'https://my-list.com/'],
  ]) {
    const { exit, err } = await one.run('sites', 'add', '--yes', ...words);
    expect([words, exit, err]).toEqual([words, 2, expect.stringContaining('[usage]')]);
    expect(err).not.toContain('config-');
  }
  expect(textOf(one)).toBe(TEXT);
});

test('an entry for a name that no signed v2 vote has proven is added only when the operator agrees to the risk, of each name, and not if the config changes meanwhile', async () => {
  const one = await scene([], ['Forged']);
  for (const name of ['Forged', 'Never-Seen.com']) {
    const asked = await one.runBy({}, 'sites', 'add', name);
    expect(asked).toEqual(refused(1, '[not-confirmed]'));
    expect(asked.asked).toEqual([naming(name, /public key/)]);
    expect((await one.run('sites', 'add', name)).exit).toBe(2);
  }
  expect(textOf(one)).toBe(TEXT);
  const changing = { answers: [true], meanwhile: () => writeFileSync(one.config, `${TEXT}\n`) };
  expect(await one.runBy(changing, 'sites', 'add', 'New.com')).toEqual(refused(1, '[config-changed]'));
  expect(textOf(one)).toBe(`${TEXT}\n`);
  const agreed = await one.runBy({ answers: [true] }, 'sites', 'add', 'Forged', 'Never-Seen.com');
  expect(agreed.asked).toHaveLength(2);
  expect(await sitesOf(one.config)).toEqual(expect.arrayContaining(['Forged', 'Never-Seen.com']));
});

test('an entry for a name that no signed v2 vote has proven is asked about also after a signed vote if a listed name is spelt like it, which would be rewarded twice', async () => {
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

test('the names that were seen are listed with their proof, except those that cannot be added, and added with --proven if they are proven', async () => {
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
  expect(await one.runBy({}, 'sites', 'add', '--proven')).toMatchObject({ exit: 0, asked: [] });
  expect(await sitesOf(one.config)).toEqual(['default', 'Listed.net', 'Signed.com']);
});

const add = (teller: Here, answers: readonly boolean[], ...words: string[]) =>
  teller.runBy({ answers }, 'sites', 'add', ...words);
/** Whether the running Teller lacks what the file has. */
const isOlder = async ({ run }: Here) => (await run('sites')).out.startsWith('note: ');

test('sites add while a Teller is running reloads it, also for an entry that only that lacks, and asks first about other changes', async () => {
  const teller = await here({ sites: DEFAULT });
  rewrite(teller, { sites: DEFAULT, rewards: [] });
  const changed = textOf(teller);
  expect(await add(teller, [true, false], 'My-List.com')).toEqual(refused(1, 'rewards'));
  expect(textOf(teller)).toBe(changed);
  const added = { exit: 0, out: naming(String(process.pid)) };
  expect(await add(teller, [true], 'My-List.com')).toMatchObject(added);
  expect(await isOlder(teller)).toBe(false);

  // As after a kill before the reload.
  const sites = { ...Reflect.get(JSON.parse(textOf(teller)), 'sites'), 'Lacking.com': {} };
  rewrite(teller, { sites, rewards: [] });
  const lacking = { ...added, err: naming('nothing to add') };
  expect(await add(teller, [false], 'Lacking.com')).toMatchObject(lacking);
  expect(await add(teller, [false], 'Lacking.com')).toMatchObject({ exit: 0, out: '' });
  rewrite(teller, { sites: { ...sites, 'Other.org': {} }, rewards: [] });
  expect(await add(teller, [false], 'Lacking.com')).toMatchObject({ exit: 0, out: '' });
  expect((await add(teller, [false], '--proven')).exit).toBe(1);
  expect(await isOlder(teller)).toBe(true);
  const agreed = await add(teller, [true], '--proven');
  expect(agreed).toMatchObject({ exit: 0, asked: [expect.stringContaining('reloads the config')] });
  expect(await isOlder(teller)).toBe(false);
});

test('sites add for a list that is publicly known names its window and what its vote page looks like, and writes its window only where `default` has another one', async () => {
  const one = await scene(['MinecraftServers.org']);
  const other = await one.run('sites', 'add', 'minecraftservers.ORG', '--yes');
  expect(other.err).not.toContain('known');
  const { err } = await one.run('sites', 'add', 'MinecraftServers.org', '--yes');
  expect(err).toEqual(naming('minecraftservers.org', '24 h', 'https://minecraftservers.org/vote/…', '--url'));
  expect(textOf(one)).toContain('"MinecraftServers.org": {}');
  const short = clerk({ sites: { default: { token: TOKEN, cooldown: '12h' } } });
  const url = 'https://www.planetminecraft.com/server/mine/vote/';
  const written = { cooldown: '24h', url };
  const words = ['PlanetMinecraft.com', '--yes', '--json', '--url', url];
  expect((await short.run('sites', 'add', ...words)).json).toMatchObject([
    { known: [{ list: { domain: 'planetminecraft.com' }, written }] },
  ]);
  expect(JSON.parse(textOf(short)).sites['PlanetMinecraft.com']).toEqual(written);
});

test('sites add for a service whose votes waited for an entry says how many are paid at the next start, which pays them, or at once where Teller runs', async () => {
  const teller = await here({ sites: DEFAULT }, noon());
  const decisions = async () =>
    (await teller.run('votes', '--json')).json.map(({ decision }: { decision: string }) => decision).join();
  for (const site of ['One', 'Two', 'Three', 'Four']) await teller.vote({ player: 'Steve', site });
  // At once also if the entry is written by hand.
  await teller.reload({ sites: { ...DEFAULT, Three: {} } });
  await teller.until(async () => (await decisions()) === 'unlisted,rewarded,unlisted,rewarded');
  expect((await teller.run('sites', 'add', 'Four', '--yes', '--json')).json).toMatchObject([
    { added: ['Four'], waiting: 1 },
  ]);
  await teller.untilGrants('delivered', 'delivered', 'delivered');

  await teller.stop();
  const { exit, err } = await teller.run('sites', 'add', 'Two', '--yes');
  expect([exit, err]).toEqual([0, naming('1 vote', 'next starts')]);
  expect(await decisions()).toBe('rewarded,rewarded,unlisted,rewarded');
  teller.clock.jump(11 * 86_400_000);
  await teller.restart();
  await teller.until(async () => (await decisions()) === 'rewarded,rewarded,rewarded,rewarded');
  await teller.untilGrants('delivered', 'delivered', 'delivered', 'delivered');
  const [, two] = (await teller.run('explain', 'Steve', '--json')).json;
  expect(two.decidedAgain).toEqual({ at: expect.stringMatching(/^2026-06-12T12:00:/), takenBy: 1 });
  expect((await teller.run('explain', 'Steve')).out.split('\n')).toContainEqual(
    naming('listed', two.decidedAgain.at, 'Two', 'unlisted', 'vote 1'),
  );
});
