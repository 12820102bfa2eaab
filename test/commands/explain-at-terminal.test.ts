import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { explain } from '../../src/operator/explain.ts';
import { answerFor } from '../../src/operator/player/answer.ts';
import { TOKEN } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator, withTeller } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const DELIVERED = { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' } as const;

const atTerminal = ({ tellerAsked }: Operator, ...words: string[]) =>
  tellerAsked({ interactive: true }, 'explain', ...words);

const votesIn = (out: string): readonly string[] => out.match(/^vote \d+/gm) ?? [];

/** Twelve votes, one a day. */
async function voter(): Promise<Operator> {
  const one = await operator({ timeZone: 'Asia/Kolkata', rewards: [] });
  withTeller(one);
  for (let day = 1; day <= 12; day++)
    await one.vote('Steve', 'List', { at: `2026-06-${String(day).padStart(2, '0')}T20:00:07Z` });
  return one;
}

describe('explain at a terminal', () => {
  test('prints the ten newest votes; --all, --limit and --json have the others', async () => {
    const one = await voter();
    const { out, err } = await atTerminal(one, 'Steve');
    expect(votesIn(out)).toHaveLength(10);
    expect(votesIn(out).at(-1)).toBe('vote 12');
    expect(err).toEqual(naming('10', '--all'));
    expect(votesIn((await atTerminal(one, 'Steve', '--all')).out)).toHaveLength(12);
    expect(votesIn((await atTerminal(one, 'Steve', '--limit', '11')).out)).toHaveLength(11);
    expect(JSON.parse((await atTerminal(one, 'Steve', '--json')).out)).toHaveLength(12);
    expect(JSON.parse((await one.teller('explain', 'Steve', '--json', '--limit', '2')).out)).toHaveLength(2);
  });

  test('shows local times to the second, and says of which time zone; elsewhere they are in UTC', async () => {
    const one = await voter();
    const { out, err } = await atTerminal(one, 'Steve');
    expect(out).toContain('2026-06-13 01:30:07');
    expect(out).not.toMatch(/\dT\d\d:|\.000Z/);
    expect(err).toContain('Asia/Kolkata');
    expect((await one.teller('explain', 'Steve')).out).toContain('2026-06-12T20:00:07.000Z');
  });

  test('begins with the sentence that the console’s page of the player has', async () => {
    const one = await voter();
    const config = await loadConfig(one.config, { missingSecrets: 'defer' });
    const known = await explain('Steve', 10, one.ledger, config, { clock: one.clock, isRunning: true });
    const { sentence } = answerFor(known, one.clock.now());
    expect((await atTerminal(one, 'Steve')).out.split('\n')[0]).toBe(sentence);
  });

  test('leaves what was received as it is', async () => {
    const one = await operator({ rewards: [] });
    const wire = '{"at":"2026-06-01T12:00:00.000Z"}';
    await one.vote('Steve', 'List', { wire });
    expect((await atTerminal(one, 'Steve', '--bytes')).out).toContain(JSON.stringify(wire));
  });
});

describe('explain of a grant that is being paid', () => {
  const CONFIG = { sites: { default: { token: TOKEN } }, rewards: [DAILY] };

  /** Steve has just voted, and the player of a practice server joins a moment later. */
  async function voted(isPaid: boolean): Promise<{ one: Operator; waits: number[] }> {
    const one = await operator(CONFIG);
    withTeller(one);
    await one.vote('Steve', 'List');
    await one.ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, one.clock.now());
    const waits: number[] = [];
    one.clock.after = (delayMs, callback) => {
      waits.push(delayMs);
      one.clock.set(new Date(one.clock.now() + delayMs).toISOString());
      void (isPaid && waits.length === 3 ? one.answer(1, 0, DELIVERED) : Promise.resolve()).then(callback);
      return () => {};
    };
    return { one, waits };
  }

  test('waits at a terminal until it is paid', async () => {
    const { one, waits } = await voted(true);
    const { out } = await atTerminal(one, 'Steve');
    expect(out).toContain(DELIVERED.reply);
    expect(waits).toHaveLength(3);
  });

  test('waits three seconds at most', async () => {
    const { one, waits } = await voted(false);
    const { out } = await atTerminal(one, 'Steve');
    expect(out).toContain('waiting');
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(3_000);
  });

  test('does not wait for a script, for a player who is offline for long, or while no Teller runs', async () => {
    const { one, waits } = await voted(true);
    await one.teller('explain', 'Steve');
    await atTerminal(one, 'Steve', '--json');
    one.clock.set('2026-06-01T12:00:10Z');
    await atTerminal(one, 'Steve');
    const stopped = await operator(CONFIG);
    await stopped.vote('Steve', 'List');
    stopped.clock.after = one.clock.after;
    await atTerminal(stopped, 'Steve');
    expect(waits).toEqual([]);
  });
});
