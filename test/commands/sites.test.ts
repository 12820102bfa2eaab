import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { clerk } from '../kit/clerk.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, tableIn } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';

const DEFAULT = { default: { token: TOKEN } };
const SITES = { ...DEFAULT, 'My-List.com': {}, 'Silent.example': {} };
const DAY = 86_400_000;
const FORGED = 'a-token-that-is-not-ours-at-all';

const noon = () => new FakeClock('2026-06-01T12:00:00Z');

/** Bytes of somebody who connects to the listener and speaks no Votifier. */
async function noise({ run, until }: Here, bytes: string): Promise<void> {
  const [{ port }] = (await run('keys', '--json')).json;
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

/** Votes on a listed and an unlisted service, and refusals of every kind. */
async function busy(): Promise<Here> {
  const teller = await here({ sites: SITES }, new FakeClock('2026-05-20T12:00:00Z'));
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
  return teller;
}

describe('sites', () => {
  test('lists every service that has sent votes, latest vote first, and then sites without votes', async () => {
    const { run } = await busy();
    const { out, exit } = await run('sites');
    const [never, at] = [expect.stringMatching(/^\D+$/), expect.stringMatching(/^2026-06-01T/)];
    expect(exit).toBe(0);
    expect(tableIn(out).slice(0, 5)).toEqual([
      ['SERVICE', 'ENTRY', 'LAST VOTE', 'TODAY', 'REWARDED', 'COOLDOWN', 'WAITING', 'OTHER', 'REFUSED'],
      ['Other.net', 'unlisted', at, '1', '1', '0', '0', '0', '0'],
      ['My-List.com', 'own', at, '2', '1', '1', '0', '0', '2'],
      ['My-Lst.com', 'unlisted', never, '0', '0', '0', '0', '0', '1'],
      ['Silent.example', 'own', never, '0', '0', '0', '0', '0', '0'],
    ]);
  });

  test('shows refusals with their likely cause, whether a vote was accepted since, and what is no vote', async () => {
    const teller = await busy();
    await teller.vote({ player: 'Alex', site: 'My-List.com' });
    const { out } = await teller.run('sites');
    const lines = out.split('\n');
    const refused = lines.findIndex((line) => line.startsWith('  My-List.com: '));
    expect(lines.slice(refused, refused + 3)).toEqual([
      naming('My-List.com', '2', /2026-06-01T/),
      naming('127.0.0.1', '`teller keys`', '[v2-signature]'),
      expect.stringMatching(/^ {4}\S/),
    ]);
    const another = lines.findIndex((line) => line.startsWith('  My-Lst.com: '));
    expect(lines[another + 2]).not.toMatch(/^ {4}/);
    expect(lines).toContainEqual(naming(/^ {2}\(no service name/, /2026-06-01T/));
    expect(lines).toContainEqual(naming('7 days', '2 http'));
    expect(out).not.toContain('Ancient');
  });

  test('names the entry to add for unlisted services with votes', async () => {
    const advice = (await (await busy()).run('sites')).out.split('\n\n').at(-1);
    expect(advice).toEqual(naming('`teller sites add NAME`', /\n {2}"Other\.net": \{\}$/));
    expect(advice?.match(/^ {2}"/gm)).toHaveLength(1);
  });

  test('--json is one array, with the listed name that was probably meant', async () => {
    const [other, ...rows] = await rowsOf(await busy());
    expect(other).toEqual({
      service: 'Other.net',
      url: null,
      site: 'default',
      listed: false,
      lastVoteAt: expect.stringMatching(/^2026-06-01T/),
      today: 1,
      decisions: { rewarded: 1 },
      waiting: 0,
      refusals: [],
      toAdd: '"Other.net": {}',
      perhapsMeant: null,
    });
    expect(rows).toMatchObject([
      { service: 'My-List.com' },
      { service: 'My-Lst.com', perhapsMeant: 'My-List.com', refusals: [{ code: 'v2-signature', count: 1 }] },
      { service: 'Silent.example' },
      { service: null },
    ]);
  });

  test('shows the page where players vote, of the entries that have one', async () => {
    const url = 'https://my-list.com/server/1077/vote';
    const sites = { 'My-List.com': { url }, default: { token: TOKEN, url: 'https://all.example/' } };
    const teller = await here({ sites }, noon());
    await teller.vote({ player: 'Steve', site: 'Other.net' });
    const { out } = await teller.run('sites');
    expect(out).toContain(`\n\nWhere players vote:\n  My-List.com: ${url}\n`);
    expect(out).not.toContain('all.example');
    expect(await rowsOf(teller)).toMatchObject([
      { service: 'Other.net', url: null },
      { service: 'My-List.com', url },
    ]);
  });

  test('shows only the newest 50 names without an entry, and the rest with --all', async () => {
    const teller = await here({ sites: DEFAULT }, noon());
    for (let n = 0; n < 60; n++) await teller.vote({ player: 'Steve', site: `Scan${n}` });
    const { out, err } = await teller.run('sites');
    expect(out.match(/^Scan/gm)).toHaveLength(50);
    expect(err).toEqual(naming('10', '--all'));
    expect((await teller.run('sites', '--all')).out.match(/^Scan/gm)).toHaveLength(60);
  });
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

describe('the entry printed for a service', () => {
  /** The config reads these as all services, as a comment, or not at all. */
  const cannotBeListed = (name: string): boolean => /^(?:default$|__proto__$|\$schema$|\/\/)/.test(name);

  const entriesIn = (text: string): readonly string[] => text.match(/^ {2}"(?:[^"\\]|\\.)*": \{\}/gm) ?? [];

  test.each([
    ['voted', { token: TOKEN }, 40],
    // So many names are kept of one sender.
    ['was refused without a token', {}, 5],
  ])('matches it when it is pasted into the config, for any name that %s', async (_, all, drawn) => {
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
  });

  test('is the same in check and in --json, also for a name with quotes', async () => {
    const one = clerk({ sites: DEFAULT });
    for (const name of ['日本 "リスト"', '長'.repeat(100)]) {
      await one.vote('Steve', name);
      const entry = `${JSON.stringify(name)}: {}`;
      expect((await one.run('check', '--offline')).out).toContain(entry);
      expect(await rowsOf(one)).toContainEqual(expect.objectContaining({ service: name, toAdd: entry }));
    }
  });
});

describe('a refusal from a service whose later votes were accepted', () => {
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
    '%s is reported as probably fixed, unless another vote proves nothing about it',
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
});

describe('a vote that got no reward because services without an entry share a window', () => {
  const found = async (one: Desk) => (await check(one, '--offline')).of('window-shared');

  /** Steve votes within one day on two services without an entry. */
  async function twoUnlisted(second = 'Two') {
    const one = clerk({ sites: DEFAULT });
    await one.vote('Steve', 'One', '2026-06-01T10:00:00Z');
    await one.vote('Steve', second, '2026-06-01T11:00:00Z');
    one.at('2026-06-01T12:00:00Z');
    return one;
  }

  test('is a problem in check until the service has an entry, for a week, with how to pay it', async () => {
    const one = await twoUnlisted();
    const toDo = naming(/teller sites add\b/, 'pays this vote');
    expect(await found(one)).toMatchObject([{ mark: 'problem', sentence: naming('1 vote', 'Two'), toDo }]);
    one.at('2026-06-09T12:00:00Z');
    expect(await found(one)).toEqual([]);
    one.at('2026-06-01T12:00:00Z');
    rewrite(one, { sites: { ...DEFAULT, Two: {} } });
    expect(await found(one)).toEqual([]);
  });

  test('is not a problem if it came from `teller send`, for which no command suggests an entry', async () => {
    const one = await twoUnlisted('Teller test');
    expect(await found(one)).toEqual([]);
    for (const [name, ...words] of [['check', '--offline'], ['explain', 'Steve'], ['sites']] as const)
      expect((await one.run(name, ...words)).out, name).not.toContain('"Teller test": {}');
  });

  test('is not confused with a second vote on one service', async () => {
    const one = await twoUnlisted('One');
    expect(await found(one)).toEqual([]);
    expect((await one.run('explain', 'Steve')).out).not.toContain('votes reward');
  });

  test('waits in the list of sites and beside the entry to add', async () => {
    const one = await twoUnlisted();
    const { out } = await one.run('sites');
    expect(out.split('\n')).toContainEqual(naming('"Two": {}', '1 vote', '7 days'));
    expect((await rowsOf(one)).slice(0, 2)).toMatchObject([
      { service: 'Two', waiting: 1 },
      { service: 'One', waiting: 0 },
    ]);
  });
});
