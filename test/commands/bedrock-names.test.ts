import { describe, expect, test } from 'vitest';
import { judgeReport } from '../../src/votes/intake/vote-report.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { siteConfig } from '../support/site-config.ts';
import { type Operator, operator } from './operator.ts';

const OFFLINE = { code: 'player-offline' } as const;

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };

const traces = async ({ teller }: Operator, name: string) =>
  JSON.parse((await teller('explain', name, '--json')).out);

describe('a name with spaces in a vote', () => {
  test('is recorded with _ for each space, and the trace shows the name that the site sent', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('Bob Jr', 'List');
    const [row] = await traces(one, 'Bob_Jr');
    expect(row).toMatchObject({ player: 'Bob_Jr', recipient: 'bob_jr', sentAs: 'Bob Jr' });
    expect((await one.teller('explain', 'bob jr')).out).toContain('Bob Jr');
  });

  test('belongs to the same player as the name with _', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('Bob_Jr', 'List', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Bob Jr', 'List', { at: '2026-06-01T13:00:00Z' });
    expect((await traces(one, 'Bob_Jr')).map(({ decision }: { decision: string }) => decision)).toEqual([
      'rewarded',
      'cooldown',
    ]);
  });

  test('keeps a Bedrock prefix', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('.Bob Jr', 'List');
    expect(await traces(one, '.Bob_Jr')).toMatchObject([{ player: '.Bob_Jr', sentAs: '.Bob Jr' }]);
  });

  test.each(['Bob  Jr', 'Bob\tJr', 'Bob @a', 'Bob Jr]', 'A B C D E F G H I'])(
    '%j is refused, because only single spaces between allowed characters are read as _',
    async (name) => {
      const one = await operator();
      await expect(one.vote(name, 'List')).rejects.toThrow(/^refused: name-/);
    },
  );

  test('is read the same way from the webhook and the API', () => {
    const listed = {
      channel: 'webhook',
      site: 'List',
      eventId: 'e',
      userId: 'u',
      game: 'minecraft',
    } as const;
    const times = { votedAt: 0, receivedAt: 0, address: null, unrewarded: null, text: '' };
    const judged = judgeReport({ ...listed, ...times, player: 'Bob Jr' }, new Map([['List', siteConfig()]]), [
      '.',
    ]);
    expect(judged).toMatchObject({ vote: { recipient: { player: 'Bob_Jr' }, sentAs: 'Bob Jr' } });
  });
});

/** A reward for BedHead is waiting. */
async function waiting(overrides: object = {}): Promise<Operator> {
  const one = await operator({ rewards: [DAILY], ...overrides });
  await one.vote('BedHead', 'List');
  await one.ledger.wait({ id: 1, server: 'main' }, OFFLINE, one.clock.now());
  return one;
}

const MAIN = { server: 'main', practice: true };

describe('grants pay ID --player', () => {
  test('pays that player instead, and every trace shows the original player', async () => {
    const one = await waiting();
    const { out, exit } = await one.teller('grants', 'pay', '1', '--player', '.BedHead');
    expect(exit).toBe(0);
    expect(out).toEqual(naming(/grant 1\b/i, '.BedHead', / BedHead\b/));
    expect(await one.ledger.pending(MAIN, one.clock.now(), 9)).toMatchObject([
      { id: 1, recipientKey: '.bedhead', player: '.BedHead' },
    ]);
    const [row] = await traces(one, 'BedHead');
    expect(row.grants).toMatchObject([
      { id: 1, player: '.BedHead', insteadOf: 'BedHead', redirectedAt: '2026-06-01T12:00:00.000Z' },
    ]);
    expect((await one.teller('explain', 'BedHead')).out.split('\n')).toContainEqual(
      naming('.BedHead', / BedHead\b/, '2026-06-01T12:00:00.000Z'),
    );
    expect(JSON.parse((await one.teller('grants', '--json', '--player', '.BedHead')).out)).toMatchObject([
      { id: 1, player: '.BedHead', insteadOf: 'BedHead' },
    ]);
  });

  test('also shows the grant in the trace of the paid player', async () => {
    const one = await waiting();
    await one.teller('grants', 'pay', '1', '--player', '.BedHead');
    const { out } = await one.teller('explain', '.BedHead');
    expect(out).toEqual(naming(/grant 1\b/i, /vote 1\b/i));
  });

  test('reads a space as _, as a vote does', async () => {
    const one = await waiting();
    await one.teller('grants', 'pay', '1', '--player', '.Bed Head');
    expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]?.player).toBe('.Bed_Head');
  });

  test('renders the reward again for the paid player', async () => {
    const one = await operator({ rewards: [{ name: 'daily', commands: ['give {player} dirt 1'] }] });
    await one.vote('BedHead', 'List');
    await one.answer(1, 0, { kind: 'refused', reply: 'Unknown item' });
    writeConfig(one.config, { rewards: [DAILY] });
    const { err } = await one.teller('grants', 'pay', '1', '--player', '.BedHead', '--rerender');
    expect(err).toContain('new   give .BedHead diamond 1');
  });

  test.each(['@a', 'Bed"Head', '!Steve', 'A2345678901234567'])(
    'refuses %j, which cannot be a player’s name',
    async (name) => {
      const one = await waiting();
      const { err, exit } = await one.teller('grants', 'pay', '1', '--player', name);
      expect([exit, err]).toEqual([2, expect.stringContaining('[player-not-allowed]')]);
      expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]?.state).toBe('waiting');
    },
  );

  test('refuses a grant for a user ID, because its commands name no player', async () => {
    const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
    const rewards = [{ name: 'points', when: 'always', commands: ['points {userId}'] }];
    const one = await operator({
      sites: { default: { token: TOKEN }, 'Five.com': { game: 'fivem', webhook } },
      rewards,
    });
    await one.voteOf('80351110224678912', 'Five.com');
    await one.answer(1, 0, { kind: 'refused', reply: 'Unknown command' });
    const { err, exit } = await one.teller('grants', 'pay', '1', '--player', 'Steve');
    expect([exit, err]).toEqual([1, expect.stringContaining('[grant-for-user]')]);
  });

  test('never pays a practice grant on a real game server', async () => {
    const one = await waiting();
    const rcon = { kind: 'rcon', host: '127.0.0.1', port: 25575, password: 'secret-of-rcon' };
    writeConfig(one.config, { gameServers: { main: rcon }, rewards: [DAILY] });
    await one.teller('grants', 'pay', '1', '--player', '.BedHead');
    expect(await one.ledger.pending({ server: 'main', practice: false }, one.clock.now(), 9)).toEqual([]);
  });

  test('filters by player if no IDs are given', async () => {
    const one = await waiting();
    await one.answer(1, 0, { kind: 'refused', reply: 'No' });
    await one.teller('grants', 'pay', '--player', 'BedHead', '--yes');
    expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      player: 'BedHead',
      redirected: null,
    });
  });

  test('refuses a grant that is already paid', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('BedHead', 'List');
    await one.answer(1, 0, { kind: 'delivered', reply: '' });
    const { err, exit } = await one.teller('grants', 'pay', '1', '--player', '.BedHead');
    expect([exit, err]).toEqual([1, expect.stringContaining('[grant-moved-on]')]);
  });
});

describe('a player who voted without their Bedrock prefix', () => {
  test('is suggested if they were seen online, with the command that pays them', async () => {
    const one = await waiting();
    await one.ledger.storeLikelyPlayers(MAIN, [{ recipientKey: 'bedhead', likely: '.BedHead' }]);
    expect((await one.teller('explain', 'BedHead')).out).toContain('grants pay 1 --player .BedHead');
    expect((await traces(one, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: '.BedHead' }]);
    expect((await one.teller('grants')).out).toContain('.BedHead');
    expect(JSON.parse((await one.teller('grants', '--json')).out)).toMatchObject([
      { likelyPlayer: '.BedHead' },
    ]);
  });

  test('is suggested if they have voted with the prefix', async () => {
    const one = await waiting();
    await one.vote('.BedHead', 'Other');
    expect((await one.teller('explain', 'BedHead')).out).toContain('grants pay 1 --player .BedHead');
    expect((await traces(one, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: '.BedHead' }]);
  });

  test('is found by the name truncated to 16 characters, as the Bedrock bridge truncates it', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('Sixteen_Letters_', 'List');
    await one.ledger.wait({ id: 1, server: 'main' }, OFFLINE, one.clock.now());
    await one.vote('.Sixteen_Letters', 'Other');
    expect((await traces(one, 'Sixteen_Letters_'))[0].grants).toMatchObject([
      { likelyPlayer: '.Sixteen_Letters' },
    ]);
  });

  test('is not suggested if no player has such a name', async () => {
    const one = await waiting();
    expect((await traces(one, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: null }]);
    expect((await one.teller('explain', 'BedHead')).out).not.toContain('--player');
  });
});
