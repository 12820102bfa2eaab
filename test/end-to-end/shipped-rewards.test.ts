import { expect, test } from 'vitest';
import { exampleOf } from '../../src/config/example.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';

/** A Teller with the rewards of a first start, in which Steve is online. */
async function started(): Promise<RunningApp> {
  const running = await runningApp(systemClock, {
    sites: { default: { token: TOKEN }, 'My-List.com': {}, 'Other-List.net': {} },
    gameServers: {
      main: { kind: 'practice', joinDelay: '0s', presenceInterval: '1s', commandTimeout: '1s' },
    },
    rewards: exampleOf('rewards'),
  });
  running.app.practiceServers.get('main')?.join('Steve');
  return running;
}

const vote = ({ app }: RunningApp, serviceName: string) =>
  sendVote(
    { serviceName, username: 'Steve', address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

const grants = async ({ look }: RunningApp) =>
  (await look.grants({ limit: 99 })).map(({ reward, state }) => `${reward} ${state}`).toSorted();

const waitFor = { timeout: 15_000 };

test('the rewards of a first start pay `each-vote` for a vote on each site, and `daily` once a day', async () => {
  const running = await started();
  await vote(running, 'My-List.com');
  await vote(running, 'Other-List.net');
  await expect
    .poll(() => grants(running), waitFor)
    .toEqual([
      'daily delivered',
      'each-vote delivered',
      'each-vote delivered',
      'thanks delivered',
      'thanks delivered',
    ]);
  expect(running.app.practiceServers.get('main')?.inventory('Steve')).toEqual({ diamond: 2 });
});

test('the announcement of a first start is sent again if its reply was lost, so that nothing is held', async () => {
  const running = await started();
  running.app.practiceServers.get('main')?.setFault('run-and-close', 1);
  await vote(running, 'My-List.com');
  await expect
    .poll(() => grants(running), waitFor)
    .toEqual(['daily delivered', 'each-vote delivered', 'thanks delivered']);
  const said = running.app.practiceServers.get('main')?.commands() ?? [];
  expect(said.filter(({ command }) => command.startsWith('say '))).toHaveLength(2);
});
