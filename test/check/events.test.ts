import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { receiversOf } from '../../src/notify/events/receiver.ts';
import { operator, withTeller } from '../commands/operator.ts';

const own = { url: 'https://example.com/very-secret-path', on: ['party'], secret: 'very-secret-key' };

async function check(events: readonly object[], files: Readonly<Record<string, string>> = {}) {
  const one = await operator({ events });
  withTeller(one);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(one.folder, name), text, { mode: 0o644 });
  const { out, exit } = await one.teller('check', '--offline', '--json');
  expect(out).not.toContain('very-secret');
  const found = JSON.parse(out) as { mark: string; code: string; sentence: string }[];
  const marksOf = (about: string) =>
    found.filter(({ sentence }) => sentence.includes(about)).map(({ mark, code }) => `${mark} ${code}`);
  return { exit, found, marksOf };
}

test('check says who is told of what, and says nothing without receivers', async () => {
  const { found } = await check([own, { ...own, url: 'file:url', on: ['health', 'party'], name: 'ops' }], {
    url: 'https://chat.example.com/very-secret-path',
  });
  const [{ mark, sentence } = { mark: '', sentence: '' }] = found.filter(({ code }) => code === 'events');
  expect([mark, sentence]).toEqual([
    'ok',
    'the receivers of events are example.com (party) and ops (health, party)',
  ]);
  expect((await check([])).found.filter(({ code }) => code === 'events')).toEqual([]);
});

test('check finds the secrets of receivers that are missing, elsewhere or readable by others', async () => {
  const { exit, marksOf } = await check([{ ...own, url: 'file:none' }]);
  expect([exit, marksOf('events[0].url')]).toEqual([2, ['problem secret-missing']]);

  const elsewhere = await check([{ ...own, url: 'env:TELLER_TEST_UNSET' }]);
  expect([elsewhere.exit, elsewhere.marksOf('events[0].url')]).toEqual([0, ['warning secret-not-here']]);

  const unsigned = await check([{ url: own.url, on: own.on }]);
  expect([unsigned.exit, unsigned.marksOf('events[0].secret')]).toEqual([2, ['problem secret-missing']]);

  const open = await check([{ ...own, secret: 'file:events.secret' }], {
    'events.secret': 'very-secret-key',
  });
  expect(open.marksOf('events.secret')).toEqual(process.platform === 'win32' ? [] : ['warning secrets']);
});

test('check says that a receiver did not take an event, why, and what becomes of it', async () => {
  const one = await operator({ events: [{ ...own, on: ['vote.rewarded'] }] });
  const [{ id = '', kinds = [] } = {}] = receiversOf((await loadConfig(one.config)).events);
  await one.ledger.useConfig({
    told: { receivers: [{ receiver: id, kinds }], at: one.clock.now() },
    today: 0,
  });
  const found = async () => {
    const { out } = await one.teller('check', '--offline', '--json');
    expect(out).not.toContain('very-secret');
    return (JSON.parse(out) as { code: string }[]).filter(({ code }) => code.startsWith('events'));
  };
  for (const player of ['Steve', 'Alex']) await one.vote(player, 'List');
  expect(await found()).toMatchObject([{ mark: 'ok', code: 'events' }]);
  await one.ledger.takePosts({ ended: [], free: [{ receiver: id, most: 1 }], now: one.clock.now() });
  const end = { state: 'undelivered', status: 404, reason: 'url-not-found' } as const;
  await one.ledger.takePosts({ ended: [{ receiver: id, event: 1, end }], free: [], now: one.clock.now() });
  expect(await found()).toMatchObject([
    {
      ...{ mark: 'warning', code: 'events-unsent' },
      sentence: expect.stringMatching(
        /example\.com.*url-not-found.*1 event will be sent again and 1 event will not/,
      ),
      toDo: expect.stringContaining('teller events resend'),
    },
  ]);
});
