import { writeFileSync } from 'node:fs';
import path from 'node:path';
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

function paidBy(one: Operator, text: string): string {
  const file = path.join(one.folder, 'paid.csv');
  writeFileSync(file, text);
  return file;
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

  test('compares it with what the other side paid, and exits 1 for what that one missed or paid twice', async () => {
    const one = await beside();
    const file = paidBy(
      one,
      'player,time\nAlex,2026-06-01T10:00:01Z\nSteve,2026-06-01T10:02:01Z\nSteve,2026-06-01T10:02:02Z\n',
    );
    const { out, exit } = await one.teller('shadow', 'report', '--against', file);
    expect(exit).toBe(1);
    expect(lines(out).slice(-5)).toEqual([
      naming(file, '3 payments'),
      '1 player got nothing:',
      'Sasha: vote 4 of 2026-06-01T10:03:00.000Z',
      '1 player got a vote paid twice:',
      'Steve: line 4',
    ]);
    const json = await one.teller('shadow', 'report', '--against', file, '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      since: '2026-05-31T11:30:00.000Z',
      lacking: [{ player: 'Robin', votes: 1 }],
      compared: {
        payments: 3,
        players: [
          { player: 'Sasha', owed: 1, unpaid: [{ id: 4 }], twice: [] },
          { player: 'Steve', owed: 1, unpaid: [], twice: [{ line: 4, at: '2026-06-01T10:02:02.000Z' }] },
        ],
      },
    });
  });

  test('exits 0 if every vote was paid once', async () => {
    const one = await beside();
    const file = paidBy(one, 'player\nalex\nSTEVE\nSasha\n');
    const { exit } = await one.teller('shadow', 'report', '--against', file);
    expect(exit).toBe(0);
  });

  test('looks only at what was received since a time, and names lines that it cannot use', async () => {
    const one = await beside();
    const file = paidBy(one, 'player,time\nAlex,2026-06-01T10:00:01Z\n@a,2026-06-01T10:05:00Z\n');
    const words = ['--since', '2026-06-01T10:02:30Z', '--against', file, '--json'];
    const { out, err, exit } = await one.teller('shadow', 'report', ...words);
    expect(exit).toBe(1);
    expect(JSON.parse(out).compared).toMatchObject({ payments: 0, players: [{ player: 'Sasha' }] });
    expect(err).toContain(`${file}:3`);
  });

  test('refuses a pattern that is none or has no player, a reward that is none, and a file that is not there', async () => {
    const one = await beside();
    const wrong = await one.teller('shadow', 'report', '--against', one.config, '--line', '(');
    expect(wrong).toMatchObject({ exit: 2, err: naming('[usage]', '--line') });
    const nobody = await one.teller('shadow', 'report', '--against', one.config, '--line', 'Gave');
    expect(nobody).toMatchObject({ exit: 2, err: naming('[usage]', '(?<player>') });
    for (const words of [
      ['--reward', 'thanks'],
      ['--against', one.config, '--reward', 'none'],
    ]) {
      const unknown = await one.teller('shadow', 'report', ...words);
      expect(unknown).toMatchObject({ exit: 2, err: naming('[usage]', '--reward') });
    }
    const gone = await one.teller('shadow', 'report', '--against', path.join(one.folder, 'gone.csv'));
    expect(gone).toMatchObject({ exit: 2, err: naming('[import-unreadable]', 'gone.csv') });
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
