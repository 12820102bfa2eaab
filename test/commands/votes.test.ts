import { describe, expect, test } from 'vitest';
import { votesCommand } from '../../src/commands/votes.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { naming } from '../support/naming.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { operator } from './operator.ts';
import { runCommand } from './run-command.ts';

const SITES = { sites: { default: { token: TOKEN }, 'My-List.com': {} } };

const ids = (out: string): number[] => JSON.parse(out).map(({ id }: { id: number }) => id);

describe('votes', () => {
  test('--json has exactly the fields of the contract, in their order', async () => {
    const { vote, teller } = await operator(SITES);
    await vote('Steve', 'My-List.com', { at: '2026-06-01T12:00:00.250Z', timestamp: '1780315200' });
    const { out, exit } = await teller('votes', '--json');
    expect(exit).toBe(0);
    expect(out).toBe(
      JSON.stringify([
        {
          id: 1,
          service: 'My-List.com',
          site: 'My-List.com',
          recipient: 'steve',
          player: 'Steve',
          castAt: '2026-06-01T12:00:00.000Z',
          claimedAt: '2026-06-01T12:00:00.000Z',
          receivedAt: '2026-06-01T12:00:00.250Z',
          channel: 'listener-v2',
          address: '192.0.2.1',
          decision: 'rewarded',
          nextAt: '2026-06-02T12:00:00.000Z',
          voided: null,
          decidedAgain: null,
          paidElsewhere: false,
        },
      ]),
    );
  });

  test('are listed newest first, and can be filtered', async () => {
    const { vote, teller, clock } = await operator(SITES);
    await vote('Steve', 'My-List.com', { at: '2026-06-01T12:00:00Z' });
    await vote('Alex', 'Other.net', { at: '2026-06-01T13:00:00Z' });
    await vote('Steve', 'My-List.com', { at: '2026-06-01T14:00:00Z' });
    clock.set('2026-06-01T14:30:00Z');
    const found = async (...words: string[]) => ids((await teller('votes', '--json', ...words)).out);
    expect(await found()).toEqual([3, 2, 1]);
    expect(await found('--player', 'STEVE')).toEqual([3, 1]);
    expect(await found('--site', 'default')).toEqual([2]);
    expect(await found('--site', 'Other.net')).toEqual([2]);
    expect(await found('--decision', 'cooldown')).toEqual([3]);
    expect(await found('--since', '2h')).toEqual([3, 2]);
    expect(await found('--since', '2026-06-01T14:00')).toEqual([3]);
    expect(await found('--since', '2026-06-01')).toEqual([3, 2, 1]);
    expect(await found('--until', '2026-06-01T14:00')).toEqual([2, 1]);
    expect(await found('--until', '90m', '--player', 'Steve')).toEqual([1]);
    expect(await found('--channel', 'listener-v2', '--site', 'default')).toEqual([2]);
    expect(await found('--channel', 'webhook')).toEqual([]);
    expect(await found('--after', '3', '--limit', '1')).toEqual([2]);
  });

  test('the table shows player, site and decision, and how to see older votes', async () => {
    const { vote, teller } = await operator(SITES);
    await vote('.Bob', 'Odd name', { at: '2026-06-01T12:00:00Z' });
    const { out, err } = await teller('votes', '--limit', '1');
    expect(out.split('\n')).toEqual([
      'VOTE  RECEIVED  PLAYER  SERVICE  SITE  DECISION  NEXT COUNTS AT  CAME BY',
      '1  2026-06-01T12:00:00.000Z  .Bob  Odd name  default  rewarded  2026-06-02T12:00:00.000Z  listener-v2 from 192.0.2.1',
    ]);
    expect(err).toEqual(naming('--after 1'));
  });

  test('print an empty array or a sentence and exit 0 if there are none', async () => {
    const { teller } = await operator();
    expect(await teller('votes', '--json')).toEqual({ exit: 0, out: '[]', err: '' });
    expect(await teller('votes')).toEqual({ exit: 0, out: '', err: naming(/votes/) });
  });

  test('report everything wrong with the flags at once, and exit 2', async () => {
    const { teller } = await operator();
    const { err, exit } = await teller(
      'votes',
      '--decision',
      'rewardd',
      '--limit',
      '0',
      '--since',
      '1 day',
      '--channel',
      'webook',
    );
    expect(exit).toBe(2);
    expect(err).toEqual(naming('--channel', '"webook"', '"webhook"'));
    expect(err).toEqual(naming('--decision', '"rewardd"', '"rewarded"', '[usage]'));
    expect(err).toEqual(naming('--limit', '100000', '"0"'));
    expect(err).toEqual(naming('--since', '"24h"', '"1 day"'));
  });

  test('report a missing ledger, and do not create it', async () => {
    const { config, ledger } = configFolder();
    const terminal = fakeTerminal();
    const command = votesCommand(terminal, {
      clock: new SettableClock('2026-06-01T12:00:00Z'),
      random: fixedRandom(0),
    });
    const { err, exit } = await runCommand(command, terminal, ['--config', config]);
    expect(exit).toBe(1);
    expect(err).toEqual(naming(ledger, '`teller run`', /\[ledger-missing\]$/));
  });
});
