import { expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { NOW, SECOND, SITE, scene } from './scene.ts';
import { telling, told } from './told-api.ts';

const USER_ONLY = { ...told(1, NOW - SECOND), userId: 'a b', metadata: {} };

test.each([
  ['api-user-not-allowed', { game: 'bot' as const }, USER_ONLY],
  ['api-name-unknown-prefix', {}, told(1, NOW - SECOND, '*Steve')],
  ['api-name-not-allowed', {}, told(1, NOW - SECOND, 'a  b')],
  ['api-name-too-long', {}, told(1, NOW - SECOND, 'Steve_of_the_north')],
] as const)(
  '%s: the vote is counted as refused, and the one beside it is recorded',
  async (code, config, odd) => {
    const good = { ...told(2, NOW - SECOND, 'Ada'), userId: '2' };
    const server = await scriptedServer(telling([odd, good]));
    const { recovery, caughtUp, stored, codes } = scene({ roots: { [SITE]: server.root }, config });
    recovery.start();
    await caughtUp();
    expect([codes('warn'), (await stored()).length]).toEqual([[code], 1]);
  },
);
