import { join as joinPath } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { PracticeClock } from '../../src/platform/practice-clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runningApp } from '../support/running-app.ts';
import { settled } from '../support/settled.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-20T12:00:00Z');
/** Whether a period is over, and who is online for a party, is otherwise looked at every ten seconds. */
const NO_OTHER_LOOK_MS = 9_000;

/** A Teller whose monotonic time passes in small steps, and not long enough for it to look at the time by itself. */
async function nearlyStill(config: object) {
  const machine = new FakeClock(NOON);
  const clock = new PracticeClock(machine, joinPath(temporaryFolder(), 'practice-clock.json'));
  const gameServers = {
    main: { kind: 'practice', autoJoin: false, joinDelay: '0s', commandPause: '0s', presenceInterval: '1h' },
  };
  const whole = { timeZone: 'UTC', gameServers, ...config };
  const { app, look } = await settled(runningApp(clock, whole), machine);
  const until = machine.monotonic() + NO_OTHER_LOOK_MS;
  const grants = async () =>
    (await look.grants({ limit: 10 })).map(({ reward, state }) => `${reward} ${state}`).toSorted();
  const expectGrants = async (...expected: string[]): Promise<void> => {
    while ((await grants()).join() !== expected.join() && machine.monotonic() < until) {
      machine.advance(50);
      await sleep(5);
    }
    expect(await grants()).toEqual(expected);
  };
  const vote = async (username: string): Promise<void> => {
    const wire = { serviceName: 'A', username, address: '', timestamp: String(clock.now()) };
    const to = { ...app.listener, auth: { version: 'v2', token: TOKEN } } as const;
    expect((await settled(sendVote(wire, to, { clock: systemClock }), machine)).code).toBe('accepted');
  };
  const join = (name: string) => app.practiceServers.get('main')?.join(name);
  const close = () => settled(app.close(), machine);
  return { clock, vote, expectGrants, join, close };
}

test('a top that is due after a move of the clock is paid at once', async () => {
  const tops = [{ name: 'best', period: 'day', when: 'always', prizes: { '1': ['say best {player}'] } }];
  const { clock, vote, expectGrants, close } = await nearlyStill({ rewards: [], tops });
  await vote('Alex');
  await clock.advance(24 * HOUR);
  await expectGrants('best delivered');
  await close();
});

test('after a move of the clock, who is online is read again for a party and for waiting rewards', async () => {
  const party = [{ name: 'party', every: 1, for: 'online', commands: ['say party {player}'] }];
  const rewards = [{ name: 'daily', commands: ['say daily {player}'] }];
  const { clock, vote, expectGrants, join, close } = await nearlyStill({ rewards, party });
  await vote('Alex');
  await expectGrants('daily waiting');
  await clock.advance(1_000);
  join('Alex');
  await clock.advance(1_000);
  await expectGrants('daily delivered', 'party delivered');
  await close();
});
