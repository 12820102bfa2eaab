import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { refusalCauses } from '../../src/votes/intake/refusal-codes.ts';
import { RefusalFigures } from '../../src/votes/intake/refusal-figures.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger } from '../support/ledgers.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';

function figuring() {
  const { ledger } = freshLedger();
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const kept = loggedLines();
  const figures = new RefusalFigures(ledger, clock, kept.log, new Set(['Real-List.com']));
  const stored = () => ledger.refusals(0);
  return { figures, clock, ledger, stored, ...kept };
}

describe('the log', () => {
  test('has one line for the first refusal with a code in ten seconds, with sender, service and what to do', () => {
    const { figures, lines } = figuring();
    for (let times = 0; times < 1_000; times++) figures.count('v2-signature', 'List', '192.0.2.1');
    expect(lines).toMatchObject([
      {
        level: 'warn',
        fields: { code: 'v2-signature', service: 'List', sender: '192.0.2.1' },
        sentence: expect.stringContaining(refusalCauses['v2-signature']),
      },
    ]);
  });

  test('names a sender even if it disconnected before its address could be read', async () => {
    const { figures, clock, lines, stored } = figuring();
    for (const _ of [1, 2]) figures.count('incomplete', null, '');
    figures.count('site-address', 'Real-List.com', '');
    clock.advance(10_000);
    await figures.store();
    const sentences = lines.map(({ sentence }) => sentence);
    const senders = (await stored()).map(({ sender: stored }) => stored);
    const [sender = ''] = senders;
    expect(sender).toMatch(/\w/);
    expect(senders).toEqual([sender, sender]);
    expect(sentences[1]).toMatch(new RegExp(`^${sender} .*Real-List\\.com`));
    expect(sentences[2]).toContain(`2 incomplete (${sender})`);
  });

  test('has a line of its own for another code, and for the same code in the next interval', () => {
    const { figures, clock, codes } = figuring();
    figures.count('v2-signature', 'List', '192.0.2.1');
    figures.count('v2-challenge', 'List', '192.0.2.1');
    figures.count('v2-signature', 'Other', '192.0.2.2');
    expect(codes('warn')).toEqual(['v2-signature', 'v2-challenge']);
    clock.advance(10_000);
    figures.count('v2-signature', 'List', '192.0.2.1');
    expect(codes('warn')).toEqual(['v2-signature', 'v2-challenge', 'v2-signature']);
  });

  test('sums up the rest in one line when the interval ends', () => {
    const { figures, clock, lines } = figuring();
    for (let times = 0; times < 300; times++) figures.count('deadline', null, `192.0.2.${times % 200}`);
    for (let times = 0; times < 7; times++) figures.count('v1-bad-block', null, '192.0.2.1');
    clock.advance(10_000);
    expect(lines.filter(({ level }) => level === 'info')).toMatchObject([
      {
        code: 'refusals',
        fields: { refused: 307 },
        sentence: naming('307', '10 s', '300 deadline (192.0.2.0)', '7 v1-bad-block'),
      },
    ]);
  });

  test('names every listed site that was refused with a code, even after strangers sent many invented names', () => {
    const { figures, lines } = figuring();
    for (let n = 0; n < 50; n++) figures.count('v2-signature', `Invented-${n}`, '192.0.2.9');
    figures.count('v2-signature', 'Real-List.com', '192.0.2.1');
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { service: 'Invented-0' },
      { service: 'Real-List.com', sender: '192.0.2.1' },
    ]);
  });

  test('has no summary if there was only the first refusal', () => {
    const { figures, clock, codes } = figuring();
    figures.count('name-not-allowed', 'List', '192.0.2.1');
    clock.advance(10_000);
    expect([codes('warn'), codes('info')]).toEqual([['name-not-allowed'], []]);
  });

  test.each(['empty', 'incomplete', 'deadline', 'crowded', 'http', 'tls', 'ssh'] as const)(
    'logs what reaches any open port (%s) at debug level, and in the summary',
    (code) => {
      const { figures, clock, lines } = figuring();
      figures.count(code, null, '192.0.2.1');
      clock.advance(10_000);
      expect(lines.map(({ level, code: said }) => `${level} ${said}`)).toEqual([
        `debug ${code}`,
        'info refusals',
      ]);
    },
  );
});

describe('the refusal counts', () => {
  test('are stored by code, service and sender when ten seconds are over', async () => {
    const { figures, clock, stored } = figuring();
    figures.count('v2-signature', 'List', '192.0.2.1');
    clock.advance(4_000);
    figures.count('v2-signature', 'List', '192.0.2.1');
    figures.count('v2-signature', 'List', '192.0.2.2');
    clock.advance(5_999);
    expect(await stored()).toEqual([]);
    clock.advance(1);
    await expect.poll(stored).toEqual([
      {
        code: 'v2-signature',
        service: 'List',
        sender: '192.0.2.1',
        count: 2,
        lastAt: Date.parse('2026-06-01T12:00:04Z'),
      },
      {
        code: 'v2-signature',
        service: 'List',
        sender: '192.0.2.2',
        count: 1,
        lastAt: Date.parse('2026-06-01T12:00:04Z'),
      },
    ]);
  });

  test('of two intervals in the same hour share a row', async () => {
    const { figures, stored } = figuring();
    figures.count('http', null, '192.0.2.1');
    await figures.store();
    figures.count('http', null, '192.0.2.1');
    await figures.store();
    expect(await stored()).toMatchObject([{ code: 'http', sender: '192.0.2.1', count: 2 }]);
  });

  test('have a row for each of 200 senders per code and hour, and one for all others together', async () => {
    const { figures, clock, stored } = figuring();
    for (let interval = 0; interval < 100; interval++) {
      for (let n = 0; n < 100; n++) figures.count('deadline', null, `10.${interval}.0.${n}`);
      await figures.store();
      clock.advance(10_000);
    }
    const rows = await stored();
    expect(rows).toHaveLength(201);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    expect(rows.filter(({ sender }) => sender === '(others)')).toMatchObject([
      { service: null, count: 9_800 },
    ]);
  });

  test('of one code are not hidden by a flood of refusals with another', async () => {
    const { figures, stored } = figuring();
    for (let n = 0; n < 20_000; n++) figures.count('deadline', null, `10.0.${n >> 8}.${n & 255}`);
    figures.count('v2-signature', 'List', '192.0.2.1');
    await figures.store();
    expect((await stored()).filter(({ code }) => code === 'v2-signature')).toMatchObject([
      { service: 'List', sender: '192.0.2.1', count: 1 },
    ]);
  });

  test('of a listed site keep its name, even if others invent many names', async () => {
    const { figures, stored } = figuring();
    for (let n = 0; n < 300; n++) figures.count('v2-signature', `x${n}`, `10.0.${n}.1`);
    for (let n = 0; n < 50; n++) figures.count('v2-signature', 'Real-List.com', '192.0.2.7');
    await figures.store();
    expect((await stored()).filter(({ service }) => service === 'Real-List.com')).toMatchObject([
      { code: 'v2-signature', sender: '192.0.2.7', count: 50 },
    ]);
  });

  test('of a listed site keep its name, and stay bounded if many senders use it', async () => {
    const { figures, stored } = figuring();
    for (let n = 0; n < 5_000; n++)
      figures.count('v2-signature', 'Real-List.com', `10.0.${n >> 8}.${n & 255}`);
    await figures.store();
    const rows = await stored();
    expect(rows).toHaveLength(21);
    expect(rows.filter(({ sender }) => sender === '(others)')).toMatchObject([
      { service: 'Real-List.com', count: 4_980 },
    ]);
  });

  test.each([
    ['an address', (_: number) => '203.0.113.9'],
    ['an IPv6 /64', (n: number) => `2001:db8::${n.toString(16)}`],
  ])('have room for other senders even if %s invents any number of names', async (_, senderOf) => {
    const { figures, stored } = figuring();
    for (let n = 0; n < 5_000; n++) figures.count('v2-signature', `x${n}`, senderOf(n));
    figures.count('v2-signature', 'Unlisted.com', '192.0.2.7');
    await figures.store();
    const rows = await stored();
    expect(rows).toHaveLength(20 + 1 + 1);
    expect(rows).toContainEqual(expect.objectContaining({ service: 'Unlisted.com', sender: '192.0.2.7' }));
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(5_001);
  });

  test('have room for new senders again in the next hour', async () => {
    const { figures, clock, stored } = figuring();
    for (let n = 0; n < 300; n++) figures.count('deadline', null, `10.0.1.${n}`);
    clock.advance(3_600_000);
    figures.count('deadline', null, '192.0.2.1');
    await figures.store();
    expect((await stored()).map(({ sender }) => sender)).toContain('192.0.2.1');
  });

  test('keep a stranger’s service name as it was received, up to 128 characters, and show it escaped', async () => {
    const { figures, lines, stored } = figuring();
    figures.count('v2-signature', 'a\n\u001b[31m"名', '192.0.2.1');
    figures.count('v2-signature', 'x'.repeat(4_000), '192.0.2.1');
    expect(lines[0]?.sentence).toContain('(“a\\n\\u001b[31m"名”)');
    await figures.store();
    expect((await stored()).map(({ service }) => service)).toEqual([
      'a\n\u001b[31m"名',
      `${'x'.repeat(128)}…`,
    ]);
  });

  test('that cannot be stored are kept, and stored with the next ones', async () => {
    const { figures, ledger, codes, stored } = figuring();
    const countRefusals = ledger.countRefusals;
    ledger.countRefusals = () => Promise.reject(new Problem('ledger-full', 'The disk is full.'));
    figures.count('http', null, '192.0.2.1');
    await figures.store();
    expect(codes('warn')).toEqual(['refusals-not-stored']);
    ledger.countRefusals = countRefusals;
    for (const code of ['http', 'tls'] as const) figures.count(code, null, '192.0.2.1');
    await figures.store();
    const counts = (await stored()).map(({ code, count }) => [code, count]).sort();
    expect(counts).toEqual([
      ['http', 2],
      ['tls', 1],
    ]);
  });

  test('that could not be stored are stored when the process stops, even if nothing was refused since', async () => {
    const { figures, ledger, clock, codes, stored } = figuring();
    const countRefusals = ledger.countRefusals;
    ledger.countRefusals = () => Promise.reject(new Problem('ledger-full', 'The disk is full.'));
    figures.count('http', null, '192.0.2.1');
    clock.advance(10_000);
    await expect.poll(() => codes('warn')).toEqual(['refusals-not-stored']);
    ledger.countRefusals = countRefusals;
    await figures.store();
    expect(await stored()).toMatchObject([{ code: 'http', count: 1 }]);
  });

  test('that are made while others fail to be stored keep their time', async () => {
    const { figures, ledger, clock, stored } = figuring();
    const countRefusals = ledger.countRefusals;
    let reject = (_: Problem): void => {};
    ledger.countRefusals = () =>
      new Promise((_, fail) => {
        reject = fail;
      });
    figures.count('v2-signature', 'List', '192.0.2.1');
    await Promise.resolve();
    clock.advance(3_000);
    figures.count('v2-signature', 'List', '192.0.2.1');
    ledger.countRefusals = countRefusals;
    reject(new Problem('ledger-locked', 'The ledger is locked.'));
    await figures.store();
    expect(await stored()).toMatchObject([{ count: 2, lastAt: clock.now() }]);
  });

  test('are stored at once for the first refusal that is not noise, and otherwise when the interval ends', async () => {
    const { figures, clock, stored } = figuring();
    figures.count('http', null, '192.0.2.1');
    figures.count('v2-signature', 'List', '192.0.2.1');
    figures.count('v2-signature', 'List', '192.0.2.1');
    const counts = async () => (await stored()).map(({ code, count }) => `${count} ${code}`).sort();
    await expect.poll(counts).toEqual(['1 http', '2 v2-signature']);
    figures.count('v2-signature', 'List', '192.0.2.1');
    expect(await counts()).toEqual(['1 http', '2 v2-signature']);
    clock.advance(10_000);
    await expect.poll(counts).toEqual(['1 http', '3 v2-signature']);
  });

  test('older than 30 days are deleted', async () => {
    const { figures, clock, stored } = figuring();
    figures.count('http', null, '192.0.2.1');
    await figures.store();
    clock.advance(30 * 24 * 3_600_000);
    figures.count('tls', null, '192.0.2.1');
    await figures.store();
    expect((await stored()).map(({ code }) => code)).toEqual(['tls', 'http']);
    clock.advance(3_600_000);
    figures.count('tls', null, '192.0.2.1');
    await figures.store();
    expect((await stored()).map(({ code }) => code)).toEqual(['tls']);
  });
});
