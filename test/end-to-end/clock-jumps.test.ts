import { expect, test } from 'vitest';
import { clockCommand } from '../../src/commands/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';

/** A vote without a time, so that this machine's clock decides. */
const vote = async ({ app }: RunningApp, username = 'Steve'): Promise<string> => {
  const wire = { serviceName: 'List', username, address: '', timestamp: '' };
  const to = { ...app.listener, auth: { version: 'v2', token: TOKEN } } as const;
  return (await sendVote(wire, to, { clock: systemClock })).code;
};

test('a clock that jumps back and forth loses no vote, pays no vote twice, and holds doubtful rewards', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock);
  const diamonds = () => running.app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;
  const decisions = async () =>
    (await running.look.votes({ limit: 99 })).map(({ decision }) => decision).reverse();
  const at = async (instant: string, player?: string) => {
    clock.jump(instant);
    expect(await vote(running, player)).toBe('accepted');
  };
  await at('2026-06-01T12:00:00Z');
  await at('2026-06-01T03:00:00Z');
  await at('2026-05-30T00:00:00Z');
  await at('2026-06-02T14:00:00Z');
  await at('1970-01-01T00:00:00Z');
  await at('2026-06-02T14:00:00Z', 'Alex');
  await at('2026-06-01T12:00:01Z');
  await at('2026-06-01T12:00:02Z', 'Zombie');
  expect(await decisions()).toEqual([
    ...['rewarded', 'cooldown', 'cooldown', 'cooldown', 'cooldown', 'rewarded', 'cooldown', 'rewarded'],
  ]);
  await expect.poll(() => running.look.grantStates()).toEqual({ delivered: 4, held: 2 });
  expect(diamonds()).toBe(1);

  await clockCommand(fakeTerminal(), clock).parseAsync(['release', '--yes', '--config', running.config], {
    from: 'user',
  });
  await expect.poll(() => running.look.grantStates()).toEqual({ delivered: 6 });
  expect(diamonds()).toBe(1);
});
