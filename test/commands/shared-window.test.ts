import { describe, expect, test } from 'vitest';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { naming, tableIn } from '../support/naming.ts';
import { operator, withTeller } from './operator.ts';

/** Steve votes within one day on two services without an entry. */
async function twoUnlisted() {
  const one = await operator();
  await one.vote('Steve', 'One', { at: '2026-06-01T10:00:00Z' });
  await one.vote('Steve', 'Two', { at: '2026-06-01T11:00:00Z' });
  one.clock.set('2026-06-01T12:00:00Z');
  return one;
}

describe('a vote that got no reward because services without an entry share a window', () => {
  const found = async ({ teller }: Awaited<ReturnType<typeof twoUnlisted>>) =>
    JSON.parse((await teller('check', '--json', '--offline')).out).filter(
      ({ code }: { code: string }) => code === 'window-shared',
    );

  test('is a problem in check, with how to give the service its own window, which pays the vote', async () => {
    expect(await found(await twoUnlisted())).toMatchObject([
      {
        mark: 'problem',
        sentence: naming('1 vote', 'Two'),
        toDo: naming(/teller sites add\b/, 'pays this vote'),
      },
    ]);
  });

  test('is no longer a problem once the service has an entry, or after a week', async () => {
    const one = await twoUnlisted();
    one.clock.set('2026-06-09T12:00:00Z');
    expect(await found(one)).toEqual([]);
    one.clock.set('2026-06-01T12:00:00Z');
    writeConfig(one.config, { sites: { default: { token: TOKEN }, Two: {} } });
    expect(await found(one)).toEqual([]);
  });

  test('is not a problem if it came from `teller send`, for which no command suggests an entry', async () => {
    const one = await operator();
    await one.vote('Steve', 'One', { at: '2026-06-01T10:00:00Z' });
    await one.vote('Steve', 'Teller test', { at: '2026-06-01T11:00:00Z' });
    one.clock.set('2026-06-01T12:00:00Z');
    expect(await found(one)).toEqual([]);
    for (const [name, ...words] of [['check', '--offline'], ['explain', 'Steve'], ['sites']] as const) {
      expect((await one.teller(name, ...words)).out, name).not.toContain('"Teller test": {}');
    }
  });

  test('is explained by naming the vote that has the window and what pays this one', async () => {
    const { teller } = await twoUnlisted();
    const { out } = await teller('explain', 'Steve');
    expect(out.split('\n')).toContainEqual(
      naming('unlisted', /vote 1\b/i, 'One', '2026-06-01T10:00:00.000Z', 'pays this vote'),
    );
  });

  test('is not confused with a second vote on one service', async () => {
    const one = await operator();
    await one.vote('Steve', 'One', { at: '2026-06-01T10:00:00Z' });
    await one.vote('Steve', 'One', { at: '2026-06-01T11:00:00Z' });
    expect(await found(one)).toEqual([]);
    expect((await one.teller('explain', 'Steve')).out).not.toContain('votes reward');
  });

  test('waits in the list of sites and beside the entry to add', async () => {
    const one = await twoUnlisted();
    withTeller(one);
    const { teller } = one;
    const { out } = await teller('sites');
    expect(
      tableIn(out)
        .slice(1, 3)
        .map((row) => [row[0], row[6]]),
    ).toEqual([
      ['Two', '1'],
      ['One', '0'],
    ]);
    expect(out.split('\n')).toContainEqual(naming('"Two": {}', '1 vote', '7 days'));
    const rows = JSON.parse((await teller('sites', '--json')).out);
    expect(rows).toMatchObject([
      { service: 'Two', waiting: 1 },
      { service: 'One', waiting: 0 },
    ]);
  });

  test('is found by its decision', async () => {
    const { teller } = await twoUnlisted();
    const rows = JSON.parse((await teller('votes', '--decision', 'unlisted', '--json')).out);
    expect(rows).toMatchObject([{ id: 2, decision: 'unlisted', nextAt: '2026-06-02T10:00:00.000Z' }]);
  });
});
