import { describe, expect, test } from 'vitest';
import { naming } from '../support/naming.ts';
import { type Operator, operator } from './operator.ts';

const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player}'] },
  { name: 'second', when: 'always', if: { votes: { at: [2] } }, commands: ['say {player}'] },
];

const lines = (out: string): string[] => out.split('\n').map((line) => line.trim());

/** Alex votes twice, Steve and Sasha once, while another listener pays; then Alex once more while Teller pays. */
async function beside(): Promise<Operator> {
  const one = await operator({ rewards: REWARDS, pay: { from: '2026-06-01T11:00Z' } });
  await one.vote('Alex', 'A.example', { at: '2026-06-01T10:00:00Z' });
  await one.vote('Alex', 'B.example', { at: '2026-06-01T10:01:00Z' });
  await one.vote('Steve', 'A.example', { at: '2026-06-01T10:02:00Z' });
  await one.vote('Sasha', 'A.example', { at: '2026-06-01T10:03:00Z' });
  await one.vote('Robin', 'A.example', { at: '2026-06-01T11:30:00Z' });
  return one;
}

describe('shadow report', () => {
  test('shows what would have been paid by reward and by player, and which votes the other side lacks', async () => {
    const one = await beside();
    const { out, exit } = await one.teller('shadow', 'report');
    expect(exit).toBe(0);
    expect(lines(out)).toEqual(
      expect.arrayContaining([
        naming('2026-05-31T11:30:00.000Z', '3 votes', '3 players'),
        expect.stringMatching(/^thanks +3 +3$/),
        expect.stringMatching(/^Alex +1 +thanks$/),
        naming('1 vote '),
        expect.stringMatching(/^Robin +1$/),
      ]),
    );
  });
});

test('explain says that nothing was run for a vote that the other side pays, or after a cancellation', async () => {
  const one = await beside();
  expect((await one.teller('explain', 'Steve')).out).toContain('say Steve → not run, because the other side');
  const robins = async () => (await one.teller('explain', 'Robin')).out;
  expect(await robins()).toContain('say Robin → not tried yet');
  await one.teller('grants', 'cancel', '--player', 'Robin', '--yes');
  expect(await robins()).toMatch(/say Robin → not run$/m);
});
