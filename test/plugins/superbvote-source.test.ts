import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { superbVoteSource } from '../../src/plugins/superbvote/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { collected } from './pieces.ts';

const SAMPLES = path.resolve(import.meta.dirname, 'samples/superbvote');

async function read(data: string, folder = temporaryFolder({})) {
  const source = await superbVoteSource({ folder, data, bedrockPrefixes: ['.'] });
  const found = await collected(source.balances());
  return {
    players: found.filter((each) => each.kind === 'player'),
    faults: found.flatMap((each) => (each.kind === 'player' ? [] : [`${each.key} | ${each.why}`])),
  };
}

const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';

describe('Players of SuperbVote', () => {
  test('are read from votes.json and the queue next to it', async () => {
    const { players, faults } = await read(path.join(SAMPLES, 'votes.json'), SAMPLES);
    expect(players).toMatchObject([
      { player: 'Notch', uuid: NOTCH, totals: { all: 312, month: null }, lastVoteAt: 1795302000000 },
      { player: 'Dinnerbone', totals: { all: null }, unpaidVotes: [{ service: 'MCList.example', at: null }] },
    ]);
    expect(faults).toEqual([
      '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6 | has no player name, but 4 votes',
      '853c80ef-3c37-49fd-aa49-938b674adae6 | has no number of votes, but "-1"',
      '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6 1 | is no vote of a player',
    ]);
  });

  test('are read from a dump, with the streaks of the other table', async () => {
    const { players, faults } = await read(path.join(SAMPLES, 'superbvote.sql'));
    expect(players).toMatchObject([
      {
        player: 'Notch',
        totals: { all: 312 },
        streaks: { day: { current: 7, best: null, lastAt: Date.parse('2026-11-21T12:00:00Z') } },
        lastVotes: new Map([
          ['MCList.example', 1795298400000],
          ["Other's", 1795302000000],
        ]),
        lastVoteAt: Date.parse('2026-11-21T23:00:00Z'),
      },
    ]);
    expect(faults).toEqual(['61699b2e-d327-4a01-9f1e-0ea8c3f06bc6 | has no player name, but 4 votes']);
  });

  test('of the first form of votes.json have no names, so each is reported', async () => {
    const folder = temporaryFolder({
      'votes.json': `{"${NOTCH}": 12}`,
      'broken.json': '{"a":',
      'votes.db': '',
    });
    expect((await read(path.join(folder, 'votes.json'))).faults).toEqual([
      `${NOTCH} | has no player name, but 12 votes`,
    ]);
    expect((await read(path.join(folder, 'broken.json'))).faults).toEqual([
      expect.stringContaining('is not JSON'),
    ]);
    await expect(read(path.join(folder, 'votes.db'))).rejects.toMatchObject({ code: 'import-unreadable' });
  });

  test('are read from a CSV file of their table', async () => {
    const file = path.join(temporaryFolder({}), 'votes.csv');
    writeFileSync(file, `uuid,last_name,votes,last_vote\n${NOTCH},Notch,3,2026-11-21 23:00:00\n`);
    expect((await read(file)).players).toMatchObject([{ player: 'Notch', lastVoteAt: 1795302000000 }]);
  });
});
