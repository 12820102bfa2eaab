/** What Teller does with time: days and windows, a clock that jumps, a machine that sleeps, a practice clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { typedHere } from './kit/apart.ts';
import { type Here, here } from './kit/here.ts';
import { furnish } from './kit/place.ts';
import { service } from './kit/service.ts';
import { typed } from './kit/typed.ts';
import { sendV2 } from './kit/vote.ts';
import { FakeClock } from './support/fake-clock.ts';
import { temporaryFolder } from './support/folder.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const GIVE = { name: 'daily', commands: ['give {player} diamond 1'] };
const MAIN = { kind: 'practice', joinDelay: '0s', presenceInterval: '1s' };

const started = (more: object, time = '2026-06-01T12:00:00Z'): Promise<Here> =>
  here({ gameServers: { main: MAIN }, rewards: [SAY, GIVE], ...more }, new FakeClock(time));

const MONDAYS = { rewards: [{ ...SAY, if: { weekday: ['mon'] } }] };

test('days begin in the time zone of the config, or of the system if it has none, and a changed zone applies at the next start', async () => {
  const teller = await started({ timeZone: 'America/New_York', ...MONDAYS }, '2026-05-31T23:30:00Z');
  const isMonday = async (player: string): Promise<boolean> => {
    const before = (await teller.grants()).length;
    await teller.vote({ player });
    return (await teller.grants()).length > before;
  };
  expect(await isMonday('Sunday_in_NY')).toBe(false);
  await teller.reload({ timeZone: 'Europe/Berlin', ...MONDAYS });
  expect(await isMonday('Still_Sunday')).toBe(false);
  await teller.restart();
  expect(await isMonday('Berlin')).toBe(true);
  await teller.reload(MONDAYS);
  await teller.restart();
  expect(await isMonday('Sunday_in_UTC')).toBe(false);
  teller.clock.sleep(HOUR);
  expect(await isMonday('Monday_in_UTC')).toBe(true);
});

test('a second Teller on the same ledger starts only with the same time zone', async () => {
  const first = await started({ timeZone: 'America/New_York' });
  await expect(here({ timeZone: 'Europe/Berlin' }, first.clock, first)).rejects.toMatchObject({
    code: 'time-zone-differs',
  });
  await here({ timeZone: 'America/New_York' }, first.clock, first);
});

const downtimes = async ({ run }: Here): Promise<readonly unknown[]> => {
  const [{ isRunning, downtimes: times }] = (await run('explain', 'Nobody', '--json')).json;
  return [isRunning, ...times.map(({ from, to }: Record<string, string>) => `${from} to ${to}`)];
};

test('while a second Teller only records, Teller runs, also after the first one has ended', async () => {
  const first = await started({});
  await first.pass(MINUTE, 5_000);
  const second = await here({}, first.clock, first);
  await first.stop();
  await second.pass(10 * MINUTE, 10_000);
  expect(await downtimes(second)).toEqual([true]);
});

test('while the machine slept no Teller ran, and a clock that is set shows no such time', async () => {
  const teller = await started({});
  await teller.pass(2_000, 1_000);
  teller.clock.sleep(HOUR);
  await teller.pass(2 * MINUTE, 5_000);
  await teller.until(async () => (await downtimes(teller)).length > 1);
  const slept = [true, expect.stringMatching(/^2026-06-01T12:00:0\S+ to 2026-06-01T13:0[01]:\S+Z$/)];
  expect(await downtimes(teller)).toEqual(slept);
  teller.clock.jump(HOUR);
  await teller.pass(3 * MINUTE, 5_000);
  expect(await downtimes(teller)).toEqual(slept);
});

/** Whether a period is over, and who is online for a party, is otherwise looked at every ten seconds. */
const NO_OTHER_LOOK_MS = 9_000;

/** A Teller on a practice clock. The time of the machine passes in small steps, and not long enough for it to look by itself. */
async function practicing(more: object) {
  const machine = new FakeClock('2026-11-20T12:00:00Z');
  // What is due runs, while time stands still.
  const turning = setInterval(() => machine.advance(0), 2);
  onTestFinished(() => clearInterval(turning));
  const waits = { autoJoin: false, joinDelay: '0s', commandPause: '0s', presenceInterval: '1h' };
  const gameServers = { main: { kind: 'practice', ...waits } };
  const place = furnish(temporaryFolder(), { timeZone: 'UTC', gameServers, ...more });
  const run = (...words: readonly string[]) => typed(words, place.config, machine);
  const { ready } = await service(['run', '--practice-clock', '--config', place.config], { clock: machine });
  const states = async (): Promise<readonly string[]> =>
    (await run('grants', '--json')).json
      .map(({ reward, state }: { reward: string; state: string }) => `${reward} ${state}`)
      .toSorted();
  return {
    vote: (player: string) => sendV2(ready.listener.port, { player, at: machine.now() }),
    join: (player: string) => typedHere(place, 'practice', 'join', player),
    move: (step: string) => typedHere(place, 'practice', 'clock', step),
    expectGrants: async (...expected: readonly string[]) => {
      const until = machine.monotonic() + NO_OTHER_LOOK_MS;
      while ((await states()).join() !== expected.join() && machine.monotonic() < until) {
        machine.advance(50);
        await sleep(4);
      }
      expect(await states()).toEqual(expected);
    },
  };
}

test('after a move of the practice clock, who is online is read again for a party and for waiting rewards, and a top that is due is paid at once', async () => {
  const party = [{ name: 'party', every: 1, for: 'online', commands: ['say party {player}'] }];
  const tops = [{ name: 'best', period: 'day', when: 'always', prizes: { '1': ['say best {player}'] } }];
  const { vote, join, move, expectGrants } = await practicing({ rewards: [GIVE], party, tops });
  await vote('Alex');
  await expectGrants('daily waiting');
  await move('1s');
  await join('Alex');
  await move('1s');
  await expectGrants('daily delivered', 'party delivered');
  await move('24h');
  await expectGrants('best delivered', 'daily delivered', 'party delivered');
});
