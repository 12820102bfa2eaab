import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { moveLedgerAway } from '../kit/ledger-file.ts';
import { sendBlock, v1Block } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const START = '2026-06-01T12:00:00Z';
const logging = (more: object = {}): Promise<Here> => here(more, new FakeClock(START));

/** The lines about votes. */
const linesOf = ({ log }: Here) =>
  log.filter(({ code }) => /^(?:rewarded|cooldown|same-vote|unlisted)$/.test(code));

test('a vote gets one line with player, site and decision', async () => {
  const teller = await logging();
  await teller.vote({ player: 'Steve' });
  teller.clock.advance(1_000);
  await teller.vote({ player: 'Steve' });
  await teller.vote({ player: 'Steve' });
  expect(linesOf(teller).map(({ code, sentence }) => [code, sentence])).toEqual([
    ['rewarded', naming('Steve', 'List', '1', 'thanks')],
    ['cooldown', naming('Steve', 'List', '2026-06-02T12:00:00.000Z')],
    ['same-vote', naming('Steve', 'List', '2')],
  ]);
});

test('rule 11: votes that are not rewarded get a line for the first ten in ten seconds, and a count for all', async () => {
  const teller = await logging();
  for (let n = 0; n < 31; n++) await teller.vote({ player: 'Steve', at: Date.parse(START) - n });
  await teller.vote({ player: 'Alex' });
  teller.clock.advance(10_000);
  const lines = linesOf(teller);
  expect(lines.filter(({ code }) => code === 'cooldown').map(({ sentence }) => sentence)).toEqual([
    ...Array(10).fill(naming('Steve', 'List', '2026-06-02T12:00:00.000Z')),
    naming('30', '10 s'),
  ]);
  expect(lines.filter(({ code }) => code === 'rewarded')).toHaveLength(2);
});

test('rule 11: a block that is replayed 50 times is one line, and then the count', async () => {
  const teller = await logging();
  const block = v1Block(`VOTE\nList\nSteve\n192.0.2.1\n${Date.parse(START)}\n`, teller.folder);
  for (let n = 0; n < 51; n++) await sendBlock(teller.port, block);
  const repeats = () => teller.log.filter(({ code }) => code === 'same-vote');
  expect(repeats()).toMatchObject([{ fields: { vote: 1 } }]);
  teller.clock.advance(10_000);
  expect(repeats().slice(1)).toMatchObject([
    { level: 'info', fields: { repeats: 50 }, sentence: naming('50', '10 s') },
  ]);
  teller.clock.advance(60_000);
  await sendBlock(teller.port, block);
  teller.clock.advance(10_000);
  expect(repeats()).toHaveLength(3);
});

test('a service without an entry is mentioned once, with the entry to add, and only the first 200 are', async () => {
  const teller = await logging();
  for (const player of ['Steve', 'Alex']) await teller.vote({ player, site: 'My "List"' });
  const mentioned = () => teller.log.filter(({ code }) => code === 'unlisted-service');
  expect(mentioned()).toMatchObject([
    { level: 'warn', sentence: expect.stringContaining('"My \\"List\\"": {}') },
  ]);
  for (let n = 0; n < 205; n++) await teller.vote({ player: 'Steve', site: `List ${n}` });
  expect(mentioned()).toHaveLength(200);
});

test('a vote that another service without an entry takes the reward of gets one warning per service', async () => {
  const teller = await logging();
  await teller.vote({ player: 'Steve', site: 'One' });
  for (const at of [1, 2]) await teller.vote({ player: 'Steve', site: 'Two', at: Date.parse(START) + at });
  expect(teller.log.filter(({ code }) => code === 'window-shared')).toMatchObject([
    {
      ...{ level: 'warn', fields: { vote: 2, service: 'Two', sharedWith: 'One' } },
      sentence: naming('Steve', 'One', '"Two": {}', 'teller sites add', 'pays this vote'),
    },
  ]);
});

test('nothing that a sender writes moves the cursor or breaks the line', async () => {
  const teller = await logging();
  await teller.vote({ player: 'Steve', site: 'a\u009b2J\u202eb\u2028c\u007f\u{e0041}' });
  const escaped = 'a\\u009b2J\\u202eb\\u2028c\\u007f\\udb40\\udc41';
  const lines = teller.log.filter(({ code }) => code === 'rewarded' || code === 'unlisted-service');
  expect(lines.map(({ code, sentence }) => [code, sentence])).toEqual([
    ['rewarded', naming('Steve', escaped)],
    ['unlisted-service', naming(`"${escaped}": {}`)],
  ]);
  for (const { sentence } of lines) expect(sentence).not.toMatch(/[\p{C}\p{Zl}]/u);
});

test('a vote from another machine whose reward goes to a practice server is warned of', async () => {
  const proxied = { host: '127.0.0.1', port: 0, proxyProtocol: 'required', trustedProxies: ['127.0.0.1/32'] };
  const teller = await logging({ listener: proxied });
  for (const [at, address] of ['127.0.0.1', '::1', '192.0.2.1', '2001:db8::1'].entries()) {
    const family = address.includes(':') ? 'TCP6' : 'TCP4';
    const before = `PROXY ${family} ${address} ${address} 1 2\r\n`;
    expect(await teller.vote({ player: `P${at}`, before })).toBe('ok');
  }
  expect(teller.log.filter(({ code }) => code === 'practice')).toMatchObject([
    { level: 'warn', sentence: naming('192.0.2.1', 'gameServers') },
    { level: 'warn', sentence: naming('2001:db8::1', 'gameServers') },
  ]);
});

test('votes that cannot be stored are one line, and then the count', async () => {
  const teller = await logging();
  const moveBack = moveLedgerAway(teller);
  for (const player of ['Steve', 'Alex', 'Sasha'])
    expect(await teller.vote({ player })).toBe('StorageUnavailable');
  teller.clock.advance(10_000);
  // Other parts may have been about to write when the ledger was moved, and say so.
  const ofVotes = teller.log.filter(({ fields }) => 'recipient' in fields || 'votes' in fields);
  expect(ofVotes.filter(({ code }) => code === 'ledger-replaced')).toMatchObject([
    { level: 'error', sentence: naming('steve', 'List') },
    { level: 'error', sentence: naming('3', '10 s') },
  ]);
  moveBack();
});

test('the counts so far are logged when Teller stops', async () => {
  const teller = await logging();
  for (let n = 0; n < 3; n++) await teller.vote({ player: 'Steve' });
  await teller.stop();
  expect(linesOf(teller).filter(({ code }) => code === 'same-vote')).toMatchObject([
    { fields: { vote: 1 } },
    { level: 'info', fields: { repeats: 2 }, sentence: naming('2', '10 s') },
  ]);
});
