import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lookInto } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { teller } from '../../support/processes.ts';
import { VotifierClient, v1Block } from '../../support/votifier-client.ts';
import {
  expectServed,
  knock,
  openPort,
  publicKeyOf,
  refusalCounts,
  sentencesOf,
  serve,
  times,
} from './scene.ts';

const FROM = ['127.0.0.1', '127.66.0.1'];
const REWARDS = { rewards: [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }] };

const addressOf = (index: number): string => `127.66.${index % 7}.${1 + (index % 250)}`;
/** Without a time that can be read, only the block itself tells that it came before. */
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
  const place = await openPort(REWARDS);
  const { port, genuine, ledger } = place;
  const block = v1Block(fields('List'), publicKeyOf(place));
  await knock(port, '127.0.0.1', block);
  // As it was captured, with what some senders write behind it, and in pieces with more of the same.
  const replays = [block, Buffer.concat([block, Buffer.from('\n')]), Buffer.concat([block, block])];
  await genuine.during(
    FROM,
    times(1_000, (index) => knock(port, addressOf(index), replays[index % 3] ?? block)),
  );
  expect(await copies(ledger)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 1_000 }]);
  expect((await lookInto(ledger).grants({ recipient: 'replayed', limit: 9 })).length).toBe(1);
  const { out } = await teller(['explain', 'Replayed', '--config', place.config], place.folder);
  expect(out.split('\n')).toContainEqual(naming('1000'));
  await place.stop();
  const sentences = sentencesOf(place.logLines(), 'same-vote');
  expect(sentences[0]).toEqual(naming('Replayed', 'List', /vote 2\b/i));
  expect(sentences[1]).toEqual(naming(/\b\d+ /, '10 s'));
  // Two for each of the few intervals that it takes.
  expect(sentences.length).toBeLessThan(10);
  expect(await refusalCounts(place)).toEqual({});
  await expectServed(place, ['Replayed']);
});

test('a v1 block counts once for ever: after a restart, and when its site has got an entry of its own', async () => {
  const first = await openPort(REWARDS);
  const block = v1Block(fields('Other.example'), publicKeyOf(first));
  await knock(first.port, '127.0.0.1', block);
  await first.stop();

  const config = JSON.parse(readFileSync(first.config, 'utf8'));
  writeFileSync(
    first.config,
    JSON.stringify({ ...config, sites: { ...config.sites, 'Other.example': { cooldown: '1s' } } }),
  );
  const second = await serve(first);
  await second.genuine.during(
    FROM,
    times(100, (index) => knock(second.port, addressOf(index), block)),
  );
  expect(await copies(second.ledger)).toEqual([
    { service: 'Other.example', decision: 'rewarded', repeats: 100 },
  ]);
  expect((await lookInto(second.ledger).grants({ recipient: 'replayed', limit: 9 })).length).toBe(1);
});

test('the same vote under the public key once more, in other bytes, is the same vote', async () => {
  const place = await openPort(REWARDS);
  const key = publicKeyOf(place);
  await place.genuine.during(
    FROM,
    times(200, (index) =>
      knock(place.port, addressOf(index), v1Block(fields('List', '2026-06-01T12:00:00Z'), key)),
    ),
  );
  expect(await copies(place.ledger)).toEqual([{ service: 'List', decision: 'rewarded', repeats: 199 }]);
  await expectServed(place, ['Replayed']);
});

test('a v2 frame captured on one connection is refused on every other, after a restart as well', async () => {
  const first = await openPort();
  const victim = await VotifierClient.greeted(first.port);
  const captured = await victim.frame({ username: 'Captured' });
  const replay = async (port: number, index: number): Promise<string> =>
    knock(port, addressOf(index), captured);
  const heard: string[] = [];
  await first.genuine.during(
    FROM,
    times(200, async (index) => heard.push(await replay(first.port, index))),
  );
  const refused = '{"status":"error","cause":"InvalidChallenge","error":"Challenge is not valid"}\r\n';
  expect(heard).toEqual(Array(200).fill(refused));
  // It belongs to the victim, and is valid only on the victim's connection.
  victim.write(captured);
  expect(await victim.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(await replay(first.port, 1)).toBe(refused);
  await first.stop();
  expect(await refusalCounts(first)).toEqual({ 'v2-challenge': 201 });
  await expectServed(first, ['Captured']);

  const second = await serve(first);
  expect(await replay(second.port, 1)).toBe(refused);
});
