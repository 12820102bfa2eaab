import { describe, expect, test } from 'vitest';
import { ordinal } from '../../src/commands/preview.ts';
import { reasonText } from '../../src/rewards/reasons.ts';
import { TOKEN } from '../support/config-folder.ts';
import { operator } from './operator.ts';

const CONFIG = {
  timeZone: 'UTC',
  sites: { default: { token: TOKEN }, List: {}, Other: {} },
  rewards: [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }],
  party: [
    { name: 'feast', every: 3, commands: ['give {player} cake 1'] },
    {
      name: 'tuesdays',
      if: { weekday: ['tue'] },
      every: 2,
      for: 'online',
      commands: ['give {player} bread 1'],
    },
  ],
  tops: [
    { name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] }, exclude: ['Owner'] },
    { name: 'tuesday', period: 'day', if: { weekday: ['tue'] }, prizes: { '1': ['give {player} bread 9'] } },
  ],
};

const together = (out: string): readonly string[] => {
  const lines = out.split('\n');
  return lines.slice(lines.indexOf('  together with others') + 1).map((line) => line.trim());
};

async function voted() {
  const one = await operator(CONFIG);
  await one.vote('Alex', 'List', { at: '2026-06-01T08:00:00Z' });
  await one.vote('Alex', 'Other', { at: '2026-06-01T09:00:00Z' });
  one.clock.set('2026-06-01T12:00:00Z');
  const preview = async (...flags: readonly string[]) =>
    together((await one.teller('preview', 'Steve', '--site', 'List', ...flags)).out);
  return { one, preview };
}

describe('preview', () => {
  test('shows what the vote would add to parties, and where the player stands', async () => {
    const { one, preview } = await voted();
    expect(await preview()).toEqual([
      'feast: 1 left of 3 until party 1; this vote reaches it, and those whose votes made it are paid',
      'tuesdays: 2 left of 2 until party 1; this vote does not count: is Mon',
      'best: 2026-06, no place yet, 2 behind Alex; this vote makes it 2nd with 1',
      'tuesday: 2026-06-01, no place yet; this vote does not count: is Mon',
    ]);
    await one.vote('Steve', 'Other', { at: '2026-06-01T13:00:00Z' });
    expect(await preview('--at', '2026-06-02T12:00:00Z')).toEqual([
      'feast: 3 left of 3 until party 2; this vote counts, then 2 are left',
      'tuesdays: 2 left of 2 until party 1; this vote counts, then 1 is left',
      'best: 2026-06, 2nd with 1, 1 behind Alex; this vote makes it 2nd with 2',
      'tuesday: 2026-06-02, no place yet; this vote makes it 1st with 1',
    ]);
  });

  test('says why a vote within the cooldown and one by a player without a place do not count', async () => {
    const { one } = await voted();
    const of = async (name: string) =>
      together((await one.teller('preview', name, '--site', 'List')).out).filter((line) =>
        /feast|best/.test(line),
      );
    expect(await of('Alex')).toEqual([
      'feast: 1 left of 3 until party 1; this vote does not count: not rewarded',
      'best: 2026-06, 1st with 2; this vote does not count: not rewarded',
    ]);
    expect((await of('owner'))[1]).toBe(
      'best: 2026-06, no place yet, 2 behind Alex; this vote does not count: excluded',
    );
  });

  test('shows the same in JSON, and nobody ahead if nobody has voted', async () => {
    const one = await operator(CONFIG);
    const { out } = await one.teller('preview', 'Steve', '--site', 'List', '--json');
    expect(JSON.parse(out)).toMatchObject([
      {
        parties: [
          { party: 'feast', number: 1, left: 3, leftAfter: 2, reason: 'counted, 2 left until party 1' },
          { party: 'tuesdays', leftAfter: null, reason: 'is Mon' },
        ],
        tops: [
          {
            top: 'best',
            period: '2026-06',
            place: null,
            votes: 0,
            ahead: null,
            after: { place: 1, votes: 1 },
          },
          { top: 'tuesday', after: null, uncounted: 'is Mon' },
        ],
      },
    ]);
  });

  test('says of each vote what the vote then is', async () => {
    const one = await operator({ ...CONFIG, party: CONFIG.party.map((each) => ({ ...each, reset: 'day' })) });
    const players = [
      'Alex',
      'Steve',
      'Alex',
      'Sasha',
      'Robin',
      'Alex',
      'Steve',
      'Zoe',
      'Sasha',
      'Alex',
      'Alex',
    ];
    for (const [index, player] of players.entries()) {
      const time = new Date(Date.UTC(2026, 5, 1, 9 * index)).toISOString();
      one.clock.set(time);
      const [foreseen] = JSON.parse((await one.teller('preview', player, '--site', 'List', '--json')).out);
      await one.vote(player, 'List', { at: time });
      const [vote] = await one.ledger.votes({ limit: 1 });
      const stored = foreseen.parties.map(({ party }: { party: string }) => vote?.reasons.get(party));
      expect(foreseen.parties.map(({ reason }: { reason: string }) => reason)).toEqual(
        stored.map((reason: Parameters<typeof reasonText>[0] | undefined) =>
          reason === undefined ? 'not rewarded' : reasonText(reason),
        ),
      );
      const [shown] = JSON.parse((await one.teller('tops', '--json')).out);
      const own = shown.places.find((place: { player: string }) => place.player === player);
      const [best] = foreseen.tops;
      if (best.after !== null) expect(best.after).toEqual({ place: own.place, votes: own.votes });
    }
  });
});

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [22, '22nd'],
  [113, '113th'],
])('place %i is written as %s', (place, written) => {
  expect(ordinal(place)).toBe(written);
});
