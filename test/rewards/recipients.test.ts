import { expect, test } from 'vitest';
import { judged } from '../kit/judged.ts';
import { reward } from '../kit/ledgers.ts';

const config = {
  rewards: [
    reward('player', { commands: ['give {player} diamond 1'] }),
    reward('percent', { commands: ['say %player% voted'] }),
    reward('user', { commands: ['pay {userId} 5'] }),
    reward('uuid', { commands: ['lp user {uuid}'], when: 'online' }),
    reward('both', { commands: ['say a vote on {site}'] }),
    reward('online', { commands: ['say hello'], when: 'online' }),
  ],
};

test('a player earns rewards that name a player or no recipient, and none that names a user ID', async () => {
  const [vote] = await judged(config, [{}]);
  expect(vote?.rewards).toMatchObject({
    player: [],
    percent: [],
    user: 'recipient-kind',
    uuid: [],
    both: [],
    online: [],
  });
});

test('a user ID earns rewards that name it or no recipient, and none that names or waits for a player', async () => {
  const [vote] = await judged(config, [{ user: '80351110224678912' }]);
  expect(vote?.grants).toEqual(['user main: pay 80351110224678912 5', 'both main: say a vote on List']);
  expect(vote?.rewards).toMatchObject({
    player: 'recipient-kind',
    uuid: 'recipient-kind',
    online: 'recipient-kind',
  });
});
