import { expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';

/** With no time of its own, so that the receipt's counts: this machine's clock decides. */
const vote = async ({ app }: RunningApp): Promise<string> => {
  const wire = { serviceName: 'List', username: 'Steve', address: '', timestamp: '' };
  const to = { ...app.listener, auth: { version: 'v2', token: TOKEN } } as const;
  return (await sendVote(wire, to, { clock: systemClock })).code;
};

test('a clock that jumps back and forth loses no vote, and pays no more than once in 24 h of what it shows', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock);
  const diamonds = () => running.app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;
  const decisions = async () =>
    (await running.look.votes({ limit: 99 })).map(({ decision }) => decision).reverse();
  const at = async (instant: string) => {
    clock.set(instant);
    expect(await vote(running)).toBe('accepted');
  };
  await at('2026-06-01T12:00:00Z');
  await at('2026-06-01T03:00:00Z');
  await at('2026-05-31T12:00:00.001Z');
  await at('2026-06-02T11:59:59Z');
  await at('2026-05-30T00:00:00Z');
  await at('2026-06-02T12:00:00Z');
  await at('2026-06-01T12:00:01Z');
  expect(await decisions()).toEqual([
    ...['rewarded', 'cooldown', 'cooldown', 'cooldown', 'rewarded', 'rewarded', 'cooldown'],
  ]);
  await expect.poll(diamonds, { timeout: 10_000 }).toBe(3);
  await expect.poll(() => running.look.grantStates()).toEqual({ delivered: 6 });
});
