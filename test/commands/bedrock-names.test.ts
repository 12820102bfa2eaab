import { describe, expect, test } from 'vitest';
import { judgeListed } from '../../src/intake/listed-vote.ts';
import { siteConfig } from '../support/site-config.ts';
import { type Operator, operator } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };

const traces = async ({ teller }: Operator, name: string) =>
  JSON.parse((await teller('explain', name, '--json')).out);

describe('a voted name with spaces', () => {
  test('counts with _ for each space, and the trace keeps what the site sent', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('Bob Jr', 'List');
    const [row] = await traces(one, 'Bob_Jr');
    expect(row).toMatchObject({ player: 'Bob_Jr', recipient: 'bob_jr', sentAs: 'Bob Jr' });
    expect((await one.teller('explain', 'bob jr')).out).toContain('the site sent “Bob Jr”');
  });

  test('is the same player as with _: the second vote falls into the window', async () => {
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
    '%j is still refused: more than single spaces between allowed characters',
    async (name) => {
      const one = await operator();
      await expect(one.vote(name, 'List')).rejects.toThrow(/^refused: name-/);
    },
  );

  test('is read the same way where a webhook or the API reports the vote', () => {
    const listed = {
      channel: 'webhook',
      site: 'List',
      eventId: 'e',
      userId: 'u',
      game: 'minecraft',
    } as const;
    const times = { votedAt: 0, receivedAt: 0, address: null, ruling: null, text: '' };
    const judged = judgeListed({ ...listed, ...times, player: 'Bob Jr' }, new Map([['List', siteConfig()]]), [
      '.',
    ]);
    expect(judged).toMatchObject({ vote: { recipient: { player: 'Bob_Jr' }, sentAs: 'Bob Jr' } });
  });
});
