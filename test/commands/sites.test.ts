import { describe, expect, test } from 'vitest';
import { TOKEN } from '../support/config-folder.ts';
import { naming, tableIn } from '../support/naming.ts';
import { operator, refusal, withTeller } from './operator.ts';

const SITES = { sites: { default: { token: TOKEN }, 'My-List.com': {}, 'Silent.example': {} } };

/** Votes on a listed and an unlisted service, and refusals of every kind. */
async function busy() {
  const one = await operator(SITES);
  withTeller(one);
  await one.vote('Steve', 'My-List.com', { at: '2026-05-31T23:00:00Z' });
  await one.vote('Steve', 'My-List.com', { at: '2026-06-01T10:00:00Z' });
  await one.vote('Alex', 'Other.net', { at: '2026-06-01T11:00:00Z' });
  await one.ledger.countRefusals([
    refusal('v2-signature', 'My-List.com', '2026-05-31T20:00:00Z', 3),
    refusal('v2-signature', 'My-List.com', '2026-05-31T21:00:00Z', 1, '192.0.2.67'),
    refusal('v2-signature', 'My-Lst.com', '2026-06-01T11:30:00Z'),
    refusal('v1-bad-block', '', '2026-06-01T11:40:00Z'),
    refusal('http', '', '2026-06-01T11:50:00Z', 900),
    refusal('v2-signature', 'Ancient', '2026-05-20T00:00:00Z'),
  ]);
  one.clock.set('2026-06-01T12:00:00Z');
  return one;
}

describe('sites', () => {
  test('shows one total for the votes of names that are not counted separately', async () => {
    const one = await operator(SITES);
    for (let n = 0; n < 1_002; n++) await one.vote(`P${n}`, `Invented-${n}`);
    expect((await one.teller('sites')).out).toMatch(/^.*\b2 votes\b.*$/m);
    expect(JSON.parse((await one.teller('sites', '--json')).out).at(-1)).toMatchObject({
      service: null,
      others: { votes: 2, today: 2 },
    });
  });

  test('shows the page where players vote, of the entries that have one', async () => {
    const url = 'https://my-list.com/server/1077/vote';
    const one = await operator({
      sites: { 'My-List.com': { url }, default: { url: 'https://all.example/' } },
    });
    withTeller(one);
    await one.vote('Steve', 'Other.net');
    const { out } = await one.teller('sites');
    expect(out).toContain(`\n\nWhere players vote:\n  My-List.com: ${url}\n`);
    expect(out).not.toContain('all.example');
    const rows = JSON.parse((await one.teller('sites', '--json')).out);
    expect(rows).toMatchObject([
      { service: 'Other.net', url: null },
      { service: 'My-List.com', url },
    ]);
  });

  test('lists every service that has sent votes, latest vote first, and then sites without votes', async () => {
    const { teller } = await busy();
    const { out, exit } = await teller('sites');
    expect(exit).toBe(0);
    const never = expect.stringMatching(/^\D+$/);
    expect(tableIn(out).slice(0, 5)).toEqual([
      ['SERVICE', 'ENTRY', 'LAST VOTE', 'TODAY', 'REWARDED', 'COOLDOWN', 'WAITING', 'OTHER', 'REFUSED'],
      ['Other.net', 'unlisted', '2026-06-01T11:00:00.000Z', '1', '1', '0', '0', '0', '0'],
      ['My-List.com', 'own', '2026-06-01T10:00:00.000Z', '1', '1', '1', '0', '0', '4'],
      ['My-Lst.com', 'unlisted', never, '0', '0', '0', '0', '0', '1'],
      ['Silent.example', 'own', never, '0', '0', '0', '0', '0', '0'],
    ]);
  });

  test('shows refusals with their likely cause, and whether a vote was accepted since', async () => {
    const { teller } = await busy();
    const { out } = await teller('sites');
    const lines = out.split('\n');
    const refused = lines.findIndex((line) => line.startsWith('  My-List.com: '));
    expect(lines.slice(refused, refused + 3)).toEqual([
      naming('My-List.com', '4', '2026-05-31T21:00:00.000Z'),
      naming('192.0.2.67', '1', '`teller keys`', '[v2-signature]'),
      expect.stringMatching(/^ {4}\S/),
    ]);
    const another = lines.findIndex((line) => line.startsWith('  My-Lst.com: '));
    expect(lines[another + 2]).not.toMatch(/^ {4}/);
    expect(lines).toContainEqual(naming(/^ {2}\(no service name/, '2026-06-01T11:40:00.000Z'));
    expect(lines).toContainEqual(naming('7 days', '900', '900 http'));
    expect(out).not.toContain('Ancient');
  });

  test('names the entry to add for unlisted services with votes', async () => {
    const { teller } = await busy();
    const { out } = await teller('sites');
    const advice = out.split('\n\n').at(-1);
    expect(advice).toEqual(naming('`teller sites add NAME`', /\n {2}"Other\.net": \{\}$/));
    expect(advice?.match(/^ {2}"/gm)).toHaveLength(1);
  });

  test('--json is one array, with the listed name that was probably meant', async () => {
    const { teller } = await busy();
    const rows = JSON.parse((await teller('sites', '--json')).out);
    expect(rows.map(({ service }: { service: string | null }) => service)).toEqual([
      'Other.net',
      'My-List.com',
      'My-Lst.com',
      'Silent.example',
      null,
    ]);
    expect(rows[0]).toEqual({
      service: 'Other.net',
      url: null,
      site: 'default',
      listed: false,
      lastVoteAt: '2026-06-01T11:00:00.000Z',
      today: 1,
      decisions: { rewarded: 1 },
      waiting: 0,
      refusals: [],
      toAdd: '"Other.net": {}',
      perhapsMeant: null,
    });
    expect(rows[2]).toMatchObject({
      perhapsMeant: 'My-List.com',
      refusals: [{ code: 'v2-signature', count: 1 }],
    });
  });

  test('shows a name with quotes beside its refusals, and with an entry that can be pasted', async () => {
    const one = await operator(SITES);
    withTeller(one);
    await one.vote('Steve', 'Bob "the" List', { at: '2026-06-01T10:00:00Z' });
    await one.ledger.countRefusals([refusal('v2-signature', 'Bob "the" List', '2026-06-01T11:00:00Z', 2)]);
    one.clock.set('2026-06-01T12:00:00Z');
    const rows = JSON.parse((await one.teller('sites', '--json')).out);
    expect(rows[0]).toMatchObject({ refusals: [{ count: 2 }], toAdd: '"Bob \\"the\\" List": {}' });
    expect(rows).toHaveLength(3);
  });

  test('shows only the newest 50 names without an entry, and the rest with --all', async () => {
    const one = await operator();
    await one.ledger.countRefusals(
      Array.from({ length: 60 }, (_, n) => refusal('v2-signature', `Scan${n}`, '2026-06-01T11:00:00Z')),
    );
    const { out, err } = await one.teller('sites');
    expect(out.split('\n').filter((line) => /^Scan/.test(line))).toHaveLength(50);
    expect(err).toEqual(naming('10', '--all'));
    expect((await one.teller('sites', '--all')).out.match(/^Scan/gm)).toHaveLength(60);
  });
});
