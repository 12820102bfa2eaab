import { describe, expect, test } from 'vitest';
import { type Game, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { rewrite } from '../kit/place.ts';
import { stuck } from '../kit/stuck.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const NOON = /2026-06-01T12:00:\d\d/;

const traces = async ({ run }: Here, name: string) => (await run('explain', name, '--json')).json;
const grantsOf = async ({ run }: Here, ...words: string[]) => (await run('grants', '--json', ...words)).json;

/** A Teller that pays on a game server where nobody is, at noon. */
async function paying(): Promise<{ readonly game: Game; readonly teller: Here }> {
  const game = await rconGame();
  const config = { gameServers: { main: game.entry }, rewards: [DAILY] };
  return { game, teller: await here(config, new FakeClock('2026-06-01T12:00:00Z')) };
}

/** A reward for this player is waiting. */
async function waiting(player = 'BedHead') {
  const { game, teller } = await paying();
  await teller.vote({ player });
  await teller.untilGrants('waiting');
  return { game, teller };
}

describe('a name with spaces in a vote', () => {
  test('is recorded with _ for each space, and the trace shows the name that the site sent', async () => {
    const { teller } = await paying();
    for (const player of ['Bob Jr', '.Bob Jr']) await teller.vote({ player, site: `of ${player}` });
    const [row] = await traces(teller, 'Bob_Jr');
    expect(row).toMatchObject({ player: 'Bob_Jr', recipient: 'bob_jr', sentAs: 'Bob Jr' });
    expect((await teller.run('explain', 'bob jr')).out).toContain('Bob Jr');
    expect(await traces(teller, '.Bob_Jr')).toMatchObject([{ player: '.Bob_Jr', sentAs: '.Bob Jr' }]);
  });

  test('belongs to the same player as the name with _', async () => {
    const { teller } = await paying();
    for (const player of ['Bob_Jr', 'Bob Jr']) {
      await teller.vote({ player });
      await teller.pass(1_000);
    }
    const decisions = (await traces(teller, 'Bob_Jr')).map(({ decision }: { decision: string }) => decision);
    expect(decisions).toEqual(['rewarded', 'cooldown']);
  });

  test('is refused unless single spaces stand between allowed characters', async () => {
    const { teller } = await paying();
    for (const player of ['Bob  Jr', 'Bob\tJr', 'Bob @a', 'Bob Jr]', 'A B C D E F G H I'])
      expect(await teller.vote({ player })).not.toBe('ok');
    expect((await teller.run('votes', '--json')).json).toEqual([]);
  });
});

describe('grants pay ID --player', () => {
  test('pays that player instead, and every trace shows the original player', async () => {
    const { game, teller } = await waiting();
    const { out, exit } = await teller.run('grants', 'pay', '1', '--player', '.BedHead');
    expect([exit, out]).toEqual([0, naming(/grant 1\b/i, '.BedHead', / BedHead\b/)]);
    const paid = { id: 1, player: '.BedHead', insteadOf: 'BedHead' };
    const [row] = await traces(teller, 'BedHead');
    expect(row.grants).toMatchObject([{ ...paid, redirectedAt: expect.stringMatching(NOON) }]);
    expect((await teller.run('explain', 'BedHead')).out.split('\n')).toContainEqual(
      naming('.BedHead', / BedHead\b/, NOON),
    );
    expect(await grantsOf(teller, '--player', '.BedHead')).toMatchObject([paid]);
    expect((await teller.run('explain', '.BedHead')).out).toEqual(naming(/grant 1\b/i, /vote 1\b/i));
    game.show('.BedHead');
    await teller.untilGrants('delivered');
    expect(game.ran).toEqual(['give .BedHead diamond 1']);
    expect(await teller.run('grants', 'pay', '1', '--player', 'Kim')).toMatchObject({
      ...{ exit: 1, err: naming('[grant-moved-on]') },
    });
  });

  test('reads a space as _, as a vote does', async () => {
    const { teller } = await waiting();
    await teller.run('grants', 'pay', '1', '--player', '.Bed Head');
    expect(await grantsOf(teller)).toMatchObject([{ player: '.Bed_Head' }]);
  });

  test('renders the reward again for the paid player', async () => {
    const { game, teller } = await stuck();
    rewrite(teller, {
      gameServers: { main: game.entry },
      rewards: [{ name: 'daily', commands: ['give {player} cake 1', 'say {site}'] }],
    });
    const { err } = await teller.run('grants', 'pay', '1', '--player', '.Steve', '--rerender');
    expect(err).toContain('new   give .Steve cake 1');
  });

  test('refuses what cannot be a player’s name (player-not-allowed)', async () => {
    const { teller } = await waiting();
    for (const name of ['@a', 'Bed"Head', '!Steve', 'A2345678901234567', 'Steve; op Steve'])
      expect(await teller.run('grants', 'pay', '1', '--player', name)).toMatchObject({
        ...{ exit: 2, err: naming('[player-not-allowed]') },
      });
    expect(await grantsOf(teller)).toMatchObject([{ state: 'waiting', player: 'BedHead' }]);
  });

  test('never pays a practice grant on a real game server', async () => {
    const game = await rconGame();
    game.show('.BedHead');
    const teller = await here({
      gameServers: { main: { kind: 'practice', autoJoin: false } },
      rewards: [DAILY],
    });
    await teller.vote({ player: 'BedHead' });
    await teller.untilGrants('waiting');
    rewrite(teller, { gameServers: { main: game.entry }, rewards: [DAILY] });
    await teller.run('grants', 'pay', '1', '--player', '.BedHead');
    await teller.restart();
    await teller.pass(3_000);
    expect(game.ran).toEqual([]);
  });

  test('filters by player if no IDs are given', async () => {
    const { teller } = await stuck();
    await teller.run('grants', 'pay', '--player', 'Steve', '--yes');
    expect(await grantsOf(teller, '--player', 'Steve')).toMatchObject([
      { state: 'pending', player: 'Steve', insteadOf: null },
    ]);
  });
});

describe('a player who voted without their Bedrock prefix', () => {
  const command = 'grants pay 1 --player .BedHead';

  test('is suggested if they were seen online, with the command that pays them', async () => {
    const { game, teller } = await waiting();
    expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: null }]);
    expect((await teller.run('explain', 'BedHead')).out).not.toContain('--player');
    game.show('.BedHead');
    await teller.until(async () => (await grantsOf(teller))[0].likelyPlayer !== null);
    expect((await teller.run('explain', 'BedHead')).out).toContain(command);
    expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: '.BedHead' }]);
    expect((await teller.run('grants')).out).toContain('.BedHead');
  });

  test('is suggested if they have voted with the prefix, also truncated to 16 characters', async () => {
    const { teller } = await waiting();
    await teller.vote({ player: '.BedHead', site: 'Other' });
    expect((await teller.run('explain', 'BedHead')).out).toContain(command);
    await teller.vote({ player: 'Sixteen_Letters_', site: 'List' });
    await teller.vote({ player: '.Sixteen_Letters', site: 'Other' });
    await teller.untilGrants('waiting', 'waiting', 'waiting', 'waiting');
    expect((await traces(teller, 'Sixteen_Letters_'))[0].grants).toMatchObject([
      { likelyPlayer: '.Sixteen_Letters' },
    ]);
  });
});
