import { expect, onTestFinished, test } from 'vitest';
import { EventPayload } from '../../protocol/webhook/events.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { configFolder } from '../support/config-folder.ts';
import { startFollowing } from '../support/following.ts';
import { record, rulesFor } from '../support/ledgers.ts';
import { startTeller, teller } from '../support/processes.ts';
import { sink } from '../support/sink.ts';
import { arrival } from '../support/votes.ts';

/** A running Teller, into which votes are sent. */
async function running(more: object = {}) {
  const { folder, config } = configFolder(more);
  const app = await startTeller(['run', '--config', config], folder);
  const vote = async (player: string): Promise<void> => {
    const port = String(app.ready.listener.port);
    expect(
      (await teller(['send', '--config', config, '--port', port, '--player', player], folder)).code,
    ).toBe(0);
  };
  return { app, config, folder, vote };
}

const playersIn = (events: readonly EventPayload[]) =>
  events.map((event) => {
    const { data } = EventPayload.parse(event);
    return 'vote' in data ? data.vote?.player : null;
  });

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a program reads events of another process, as receivers get them; %s ends it with 0, and one that goes on misses nothing',
  async (signal) => {
    const receiver = await sink();
    const { config, vote } = await running({
      events: [{ url: receiver.url, secret: 'the-secret-of-the-events', on: ['vote.rewarded'] }],
    });
    const first = await startFollowing(config, '--on', 'vote.rewarded');
    await vote('Steve');
    const [event] = await first.events(1);
    expect(event).toEqual((await receiver.request(1)).json);
    expect(await first.end(signal)).toBe(0);

    await vote('Alex');
    const second = await startFollowing(config, '--on', 'vote.rewarded', '--after', event?.eventId ?? '');
    await vote('Robin');
    expect(playersIn(await second.events(2))).toEqual(['Alex', 'Robin']);
  },
);

test('without a receiver, a killed program that starts again goes on, and so it does while Teller restarts', async () => {
  const { app, config, folder, vote } = await running();
  const first = await startFollowing(config, '--on', 'vote.rewarded');
  await vote('Steve');
  const [event] = await first.events(1);
  await first.end('SIGKILL');
  await vote('Alex');
  const second = await startFollowing(config, '--on', 'vote.rewarded', '--after', event?.eventId ?? '');
  expect(playersIn(await second.events(1))).toEqual(['Alex']);

  await app.kill();
  const again = await startTeller(['run', '--config', config], folder);
  const port = String(again.ready.listener.port);
  await teller(['send', '--config', config, '--port', port, '--player', 'Robin'], folder);
  expect(playersIn(await second.events(2))).toEqual(['Alex', 'Robin']);
});

test('a reader that goes away ends it with 0 at the next event', async () => {
  const { config, vote } = await running();
  const follower = await startFollowing(config);
  follower.child.stdout.destroy();
  await vote('Steve');
  expect(await follower.ended()).toBe(0);
  expect(follower.err()).not.toContain('error');
});

test('a reader that stalls longer than all buffers misses nothing', async () => {
  const { config, ledger: file } = configFolder();
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  onTestFinished(() => ledger.close());
  const follower = await startFollowing(config, '--on', 'vote.rewarded');
  follower.child.stdout.pause();
  const players = Array.from({ length: 5_000 }, (_, index) => `Player${index}`);
  await record(
    ledger,
    players.map((player) => arrival({ player })),
    rulesFor(),
  );
  await expect.poll(() => follower.child.stdout.readableLength).toBeGreaterThan(0);
  follower.child.stdout.resume();
  expect(playersIn(await follower.events(players.length))).toEqual(players);
  expect(follower.err()).not.toContain('lost');
});
