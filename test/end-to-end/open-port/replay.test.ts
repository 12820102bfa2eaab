import { expect, test } from 'vitest';
import { typedHere } from '../../kit/apart.ts';
import { type Place, rewrite } from '../../kit/place.ts';
import { TOKEN, v1Block } from '../../kit/vote.ts';
import { grantsIn } from '../../kit/witness.ts';
import { naming } from '../../support/naming.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  expectServed,
  messagesOf,
  openPort,
  refusalCounts,
  repeat,
  sendBytes,
  startTarget,
} from './fixture.ts';

const FROM = ['127.0.0.1', '127.66.0.1'];
const REWARDS = { rewards: [{ name: 'daily', when: 'always', commands: ['say {player} voted'] }] };

const addressOf = (index: number): string => `127.66.${index % 7}.${1 + (index % 250)}`;
/** Without a readable time, only the bytes of the block show that it is a replay. */
const fields = (service: string, time = 'no time at all'): string =>
  `VOTE
${service}
Replayed
192.0.2.1
${time}
`;

/** The copies of the replayed vote that were recorded. */
async function copies(place: Place) {
  const { json } = await typedHere(place, 'explain', 'Replayed', '--json');
  return json.map(({ service, decision, repeats }: Record<string, unknown>) => ({
    service,
    decision,
    repeats,
  }));
}

const grantsOfReplayed = async (place: Place) =>
  (await grantsIn(place)).filter(({ player }) => player === 'Replayed');

test('a v1 block replayed a thousand times from many addresses is one vote and one reward', {
  timeout: 60_000,
}, async () => {
  const target = await openPort(REWARDS);
  const { port, genuine } = target;
  const block = v1Block(fields('List'), target.folder);
  await sendBytes(port, '127.0.0.1', block);
  // The block alone, with the line end that some senders add, and twice in one write.
  const replays = [block, Buffer.concat([block, Buffer.from('\n')]), Buffer.concat([block, block])];
  await genuine.during(
    FROM,
    repeat(1_000, (index) => sendBytes(port, addressOf(index), replays[index % 3] ?? block)),
  );
  expect(await copies(target)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 1_000 }]);
  expect(await grantsOfReplayed(target)).toHaveLength(1);
  const { out } = await typedHere(target, 'explain', 'Replayed');
  expect(out.split('\n')).toContainEqual(naming('1000'));
  await target.stop();
  const messages = messagesOf(target.logLines(), 'same-vote');
  expect(messages[0]).toEqual(naming('Replayed', 'List', /vote 2\b/i));
  expect(messages[1]).toEqual(naming(/\b\d+ /, '10 s'));
  // Two lines in each of the few intervals.
  expect(messages.length).toBeLessThan(10);
  expect(await refusalCounts(target)).toEqual({});
  await expectServed(target, ['Replayed']);
});

test('a v1 block counts only once, even after a restart and if its site gets an entry of its own', async () => {
  const first = await openPort(REWARDS);
  const block = v1Block(fields('Other.example'), first.folder);
  await sendBytes(first.port, '127.0.0.1', block);
  await first.stop();

  rewrite(first, {
    ...REWARDS,
    sites: { default: { token: TOKEN }, List: {}, 'Other.example': { cooldown: '1s' } },
  });
  const second = await startTarget(first);
  await second.genuine.during(
    FROM,
    repeat(100, (index) => sendBytes(second.port, addressOf(index), block)),
  );
  expect(await copies(second)).toEqual([{ service: 'Other.example', decision: 'rewarded', repeats: 100 }]);
  expect(await grantsOfReplayed(second)).toHaveLength(1);
});

test('a vote that is encrypted again, to different bytes, counts as the same vote', async () => {
  const target = await openPort(REWARDS);
  await target.genuine.during(
    FROM,
    repeat(200, (index) =>
      sendBytes(
        target.port,
        addressOf(index),
        v1Block(fields('List', '2026-06-01T12:00:00Z'), target.folder),
      ),
    ),
  );
  expect(await copies(target)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 199 }]);
  await expectServed(target, ['Replayed']);
});

test('a v2 frame that was captured on one connection is refused on every other, also after a restart', async () => {
  const first = await openPort();
  const victim = await VotifierClient.greeted(first.port);
  const captured = await victim.frame({ username: 'Captured' });
  const replay = async (port: number, index: number): Promise<string> =>
    sendBytes(port, addressOf(index), captured);
  const answers: string[] = [];
  await first.genuine.during(
    FROM,
    repeat(200, async (index) => answers.push(await replay(first.port, index))),
  );
  const refused = '{"status":"error","cause":"InvalidChallenge","error":"Challenge is not valid"}\r\n';
  expect(answers).toEqual(Array(200).fill(refused));
  // The frame is valid only on the victim's connection.
  victim.write(captured);
  expect(await victim.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(await replay(first.port, 1)).toBe(refused);
  await first.stop();
  expect(await refusalCounts(first)).toEqual({ 'v2-challenge': 201 });
  await expectServed(first, ['Captured']);

  const second = await startTarget(first);
  expect(await replay(second.port, 1)).toBe(refused);
});
