import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lookInto } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { teller } from '../../support/processes.ts';
import { VotifierClient, v1Block } from '../../support/votifier-client.ts';
import {
  expectServed,
  messagesOf,
  openPort,
  publicKeyOf,
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

async function copies(ledger: string) {
  const rows = await lookInto(ledger).votes({ limit: 99_999 });
  return rows
    .filter(({ player }) => player === 'Replayed')
    .map(({ service, decision, repeats }) => ({ service, decision, repeats }));
}

test('a v1 block replayed a thousand times from many addresses is one vote and one reward', {
  timeout: 60_000,
}, async () => {
  const target = await openPort(REWARDS);
  const { port, genuine, ledger } = target;
  const block = v1Block(fields('List'), publicKeyOf(target));
  await sendBytes(port, '127.0.0.1', block);
  // The block alone, with the line end that some senders add, and twice in one write.
  const replays = [block, Buffer.concat([block, Buffer.from('\n')]), Buffer.concat([block, block])];
  await genuine.during(
    FROM,
    repeat(1_000, (index) => sendBytes(port, addressOf(index), replays[index % 3] ?? block)),
  );
  expect(await copies(ledger)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 1_000 }]);
  expect((await lookInto(ledger).grants({ recipient: 'replayed', limit: 9 })).length).toBe(1);
  const { out } = await teller(['explain', 'Replayed', '--config', target.config], target.folder);
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
  const block = v1Block(fields('Other.example'), publicKeyOf(first));
  await sendBytes(first.port, '127.0.0.1', block);
  await first.stop();

  const config = JSON.parse(readFileSync(first.config, 'utf8'));
  writeFileSync(
    first.config,
    JSON.stringify({ ...config, sites: { ...config.sites, 'Other.example': { cooldown: '1s' } } }),
  );
  const second = await startTarget(first);
  await second.genuine.during(
    FROM,
    repeat(100, (index) => sendBytes(second.port, addressOf(index), block)),
  );
  expect(await copies(second.ledger)).toEqual([
    { service: 'Other.example', decision: 'rewarded', repeats: 100 },
  ]);
  expect((await lookInto(second.ledger).grants({ recipient: 'replayed', limit: 9 })).length).toBe(1);
});

test('a vote that is encrypted again, to different bytes, counts as the same vote', async () => {
  const target = await openPort(REWARDS);
  const key = publicKeyOf(target);
  await target.genuine.during(
    FROM,
    repeat(200, (index) =>
      sendBytes(target.port, addressOf(index), v1Block(fields('List', '2026-06-01T12:00:00Z'), key)),
    ),
  );
  expect(await copies(target.ledger)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 199 }]);
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
