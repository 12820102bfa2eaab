import { expect, test } from 'vitest';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { naming } from '../support/naming.ts';

/** Alex votes twice, Steve and Sasha once, while another listener pays; then Robin while Teller pays. */
async function beside(): Promise<Clerk> {
  const rewards = [
    { name: 'thanks', when: 'always', commands: ['say {player}'] },
    { name: 'second', when: 'always', if: { votes: { at: [2] } }, commands: ['say {player}'] },
  ];
  const one = clerk({ rewards, pay: { from: '2026-06-01T11:00Z' }, sites: { default: {} } });
  for (const [player, site, time] of [
    ['Alex', 'A.example', '10:00'],
    ['Alex', 'B.example', '10:01'],
    ['Steve', 'A.example', '10:02'],
    ['Sasha', 'A.example', '10:03'],
    ['Robin', 'A.example', '11:30'],
  ] as const)
    await one.vote(player, site, `2026-06-01T${time}:00Z`);
  return one;
}

test('shadow report shows what would have been paid by reward and by player, and which votes the other side lacks', async () => {
  const { out, exit } = await (await beside()).run('shadow', 'report');
  expect(exit).toBe(0);
  expect(out.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      naming('2026-05-31T11:30:00.000Z', '3 votes', '3 players'),
      expect.stringMatching(/^thanks +3 +3$/),
      expect.stringMatching(/^Alex +1 +thanks$/),
      naming('1 vote '),
      expect.stringMatching(/^Robin +1$/),
    ]),
  );
});

test('explain says that nothing was run for a vote that the other side pays, or after a cancellation', async () => {
  const one = await beside();
  expect((await one.run('explain', 'Steve')).out).toContain('say Steve → not run, because the other side');
  const robins = async () => (await one.run('explain', 'Robin')).out;
  expect(await robins()).toContain('say Robin → not tried yet');
  await one.run('grants', 'cancel', '--player', 'Robin', '--yes');
  expect(await robins()).toMatch(/say Robin → not run$/m);
});
