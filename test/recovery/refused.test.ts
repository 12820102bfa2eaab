import { expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { NOW, recoveringTeller, SECOND, SITE } from './recovering-teller.ts';
import { record, reporting } from './reporting-api.ts';

const USER_ONLY = { ...record(1, NOW - SECOND), userId: 'a b', metadata: {} };

test.each([
  ['api-user-not-allowed', { game: 'bot' as const }, USER_ONLY],
  ['api-name-unknown-prefix', {}, record(1, NOW - SECOND, '*Steve')],
  ['api-name-not-allowed', {}, record(1, NOW - SECOND, 'a  b')],
  ['api-name-too-long', {}, record(1, NOW - SECOND, 'Steve_of_the_north')],
] as const)(
  '%s: the vote is counted as refused, and the next one is recorded',
  async (code, config, unreadable) => {
    const good = { ...record(2, NOW - SECOND, 'Ada'), userId: '2' };
    const server = await scriptedServer(reporting([unreadable, good]));
    const { recovery, catchUp, stored, codes } = recoveringTeller({ roots: { [SITE]: server.root }, config });
    recovery.start();
    await catchUp();
    expect([codes('warn'), (await stored()).length]).toEqual([[code], 1]);
  },
);
