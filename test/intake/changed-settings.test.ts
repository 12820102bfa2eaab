import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { Intake } from '../../src/votes/intake/intake.ts';
import { DAILY, freshLedger, rulesFor, THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { siteConfig } from '../support/site-config.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

const received = (username: string) => ({
  channel: 'listener-v2' as const,
  wire: { ...WIRE_VOTE, username },
  text: '{}',
  address: '192.0.2.1',
  receivedAt: systemClock.now(),
  blockDigest: null,
});

test('a vote that was judged just before a reload is decided by the old settings', async () => {
  const { ledger } = freshLedger();
  const settings = (reward: Reward) => ({
    sites: new Map([['default', siteConfig()]]),
    bedrockPrefixes: ['.'],
    draw: () => ALL_WON,
    rules: rulesFor(reward),
  });
  let late = 0;
  const intake = new Intake({
    ...settings(THANKS),
    ledger,
    clock: systemClock,
    log: silentLog,
    onRecorded: {},
    onRecordedLate: () => late++,
    onUnable: () => {},
    onLost: () => {},
  });

  const before = intake.accept(received('Steve'));
  intake.apply(settings(DAILY));
  const after = intake.accept(received('Alex'));

  expect([await before, await after]).toEqual([null, null]);
  const grants = (await ledger.grants({ limit: 9 })).map(({ player, reward }) => `${player} ${reward}`);
  expect(grants.toSorted()).toEqual(['Alex daily', 'Steve thanks']);
  expect(late).toBe(1);
});
