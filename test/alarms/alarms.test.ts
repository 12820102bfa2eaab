import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ALARMS_EVENT, AlarmsPayload } from '../../protocol/webhook/alarms.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import { readingOf } from '../../src/core/clock-reading.ts';
import { LOOK_MS } from '../../src/notify/alarms/alarms.ts';
import { ALARMS_SECRET, type AlarmsStart, changesIn, startAlarms, targetAt } from '../support/alarms.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { sink } from '../support/sink.ts';
import { arrival } from '../support/votes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function start(more: Partial<AlarmsStart> = {}) {
  const receiver = await sink();
  const started = startAlarms({ url: receiver.url, ...more });
  return { ...started, receiver, told: () => receiver.requests.map(({ json }) => changesIn(json)) };
}

describe('the operator is notified once when it begins and once when it is over', () => {
  test('grants-held', async () => {
    const { look, hold, ledger, clock, told } = await start();
    await look();
    await hold('Steve');
    await look(3 * LOOK_MS);
    await hold('Alex');
    await look(3 * LOOK_MS);
    expect(told()).toEqual([['+ grants-held']]);
    for (const { id } of await ledger.grants({ state: 'held', limit: 9 }))
      await ledger.markPaid(id, { by: 'ann' }, clock.now());
    await look(3 * LOOK_MS);
    expect(told()).toEqual([['+ grants-held'], ['- grants-held']]);
    await hold('Sasha');
    await look(3 * LOOK_MS);
    expect(told()).toEqual([['+ grants-held'], ['- grants-held'], ['+ grants-held']]);
  });

  test('site-silent', async () => {
    const { look, ledger, clock, told, receiver } = await start({ sites: ['List', 'Other'] });
    const vote = (service: string) =>
      record(
        ledger,
        [
          arrival({
            service,
            site: service,
            player: `P${clock.now()}`,
            receivedAt: clock.now(),
            claim: null,
          }),
        ],
        rulesFor(),
      );
    for (let hour = 0; hour <= 3; hour++) {
      await vote('List');
      if (hour < 2) await vote('Other');
      clock.jump(2 * HOUR);
    }
    // 2 hours ago the last vote of List, 6 hours ago that of Other; their longest gaps are 2 hours.
    await look();
    expect(told()).toEqual([['+ site-silent Other']]);
    clock.jump(4 * HOUR);
    await look(2 * LOOK_MS);
    expect(told().slice(1)).toEqual([['+ site-silent List']]);
    await vote('Other');
    await look(2 * LOOK_MS);
    expect(told().slice(2)).toEqual([['- site-silent Other']]);
    expect(receiver.requests[2]?.json.data.text).toContain('Votes come from Other again');
  });

  test('game-server-away', async () => {
    const { look, ledger, clock, told } = await start({ gameServers: [{ name: 'main', takesVotes: false }] });
    await ledger.storeQueueState('main', null, clock.now());
    await look();
    await ledger.storeQueueState('main', 'unreachable', clock.now());
    await look(10 * MINUTE);
    expect(told()).toEqual([]);
    await ledger.storeQueueState('main', 'login-timeout', clock.now());
    await look(5 * MINUTE);
    expect(told()).toEqual([['+ game-server-away main']]);
    await ledger.storeQueueState('main', null, clock.now());
    await look(5 * MINUTE);
    expect(told().slice(1)).toEqual([['- game-server-away main']]);
  });

  test('clock-doubtful, and what it holds once the clock is trusted', async () => {
    const { look, ledger, clock, told } = await start();
    const vote = (player: string) =>
      ledger.record(
        { ...arrival({ player, receivedAt: clock.now(), claim: null }), rules: rulesFor(THANKS) },
        readingOf(clock),
      );
    await vote('Steve');
    clock.jump(26 * HOUR);
    await vote('Alex');
    await look(2 * LOOK_MS);
    expect(told()).toEqual([['+ clock-doubtful']]);
    clock.jump(-26 * HOUR);
    await vote('Sasha');
    await look(2 * LOOK_MS);
    expect(told().slice(1)).toEqual([['+ grants-held', '- clock-doubtful']]);
    await ledger.releaseClock(clock.now(), null, clock.now());
    await look(2 * LOOK_MS);
    expect(told().slice(2)).toEqual([['- grants-held']]);
  });

  test('disk-low', async () => {
    const { look, disk, told, receiver } = await start();
    await look();
    for (const mib of [1_000, 1_100, 900]) {
      disk.mib = mib;
      await look(2 * LOOK_MS);
    }
    expect(told()).toEqual([['+ disk-low']]);
    disk.mib = 2_000;
    await look(2 * LOOK_MS);
    expect(told().slice(1)).toEqual([['- disk-low']]);
    expect(receiver.requests.map(({ json }) => json.data.text)).toEqual([
      '⚠️ The disk of the ledger has been nearly full since 12:00 UTC: only 1,000 MiB are free. Free some space. When the disk is full, no vote can be stored.',
      '✅ The disk of the ledger has room again: 2,000 MiB are free.',
    ]);
  });

  test('config-newer', async () => {
    const { look, noteConfig, told, receiver } = await start();
    const news = {
      kind: 'newer',
      file: 'config.json',
      keys: ['log.level'],
      toDo: 'run `teller reload`',
    } as const;
    await look();
    noteConfig(news);
    await look(10 * MINUTE);
    expect(told()).toEqual([]);
    noteConfig({ kind: 'refused', file: 'config.json', code: 'config-invalid', faults: 2 });
    await look(5 * MINUTE);
    expect(told()).toEqual([['+ config-newer']]);
    expect(receiver.requests[0]?.json.data.text).toBe(
      '⚠️ config.json was changed at 12:00 UTC, and Teller still runs the earlier config. The file has 2 problems, so Teller would not start with it. See `teller check`, then run `teller reload`.',
    );
    noteConfig(null);
    await look(5 * MINUTE);
    expect(told().slice(1)).toEqual([['- config-newer']]);
  });
});

describe('a message', () => {
  test('holds everything that is new, and is signed as other events are', async () => {
    const { look, hold, disk, receiver } = await start({ name: 'survival' });
    disk.mib = 10;
    await hold();
    await look();
    const [request] = receiver.requests;
    expect(changesIn(request?.json)).toEqual(['+ disk-low', '+ grants-held']);
    const { headers, body } = request ?? {};
    expect(AlarmsPayload.parse(JSON.parse(String(body)))).toMatchObject({
      event: ALARMS_EVENT,
      test: false,
      data: { name: 'survival', text: expect.stringMatching(/^survival: ⚠️ The disk/) },
    });
    expect(headers?.['x-service-event']).toBe(ALARMS_EVENT);
    expect(headers?.['x-service-attempt']).toBe('1');
    const signature = String(headers?.[SIGNATURE_HEADER.toLowerCase()]);
    expect(verifySignature(signature, body ?? Buffer.alloc(0), ALARMS_SECRET)).toBe(true);
    expect(verifySignature(signature, body ?? Buffer.alloc(0), 'another-secret')).toBe(false);
  });

  test('names no player', async () => {
    const { look, hold, receiver, recordFile } = await start();
    await hold('Steve');
    await look();
    expect(`${receiver.requests[0]?.body}${readFileSync(recordFile)}`).not.toMatch(/steve/i);
    expect(receiver.requests[0]?.json.data.text).toContain('thanks on main, grant 1');
  });

  test('for a chat is text that mentions nobody', async () => {
    const { look, disk, receiver } = await start({ format: 'chat' });
    disk.mib = 10;
    await look();
    expect(receiver.requests[0]?.json).toEqual({
      content: expect.stringContaining('only 10 MiB are free'),
      allowed_mentions: { parse: [] },
      text: expect.stringContaining('only 10 MiB are free'),
    });
  });
});

describe('while the receiver is down', () => {
  test('the same message is posted again, later each time, until it arrives', async () => {
    const { look, disk, receiver, lines } = await start();
    receiver.answers = [503, 503, 204];
    disk.mib = 10;
    await look(MINUTE);
    const { requests } = receiver;
    expect(requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(requests.map(({ body }) => String(body))).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
    const codes = lines.map(({ code, fields }) => [code, (fields as { reason?: string }).reason]);
    expect(codes).toEqual([
      ['alarms-unsent', 'receiver-failed'],
      ['alarms-sent', undefined],
    ]);
  });

  test('an alarm that is over by then is told as over next, and what began and ended meanwhile in one message', async () => {
    const { look, disk, hold, ledger, clock, receiver, told } = await start();
    receiver.answers = [503];
    disk.mib = 10;
    await look();
    disk.mib = 50_000;
    await hold();
    await look();
    await ledger.markPaid(1, { by: 'ann' }, clock.now());
    await look();
    receiver.answers = [204];
    await look(MINUTE);
    expect(told().at(-2)).toEqual(['+ disk-low']);
    expect(told().at(-1)).toEqual(['- disk-low', '- grants-held']);
  });

  test('an hour passes after an answer that says no, and after a reload the next look tries again', async () => {
    const { look, disk, receiver, apply } = await start();
    receiver.answers = [404, 204];
    disk.mib = 10;
    await look(30 * MINUTE);
    expect(receiver.requests).toHaveLength(1);
    apply({});
    await look();
    expect(receiver.requests).toHaveLength(2);
  });

  test('a message is given up after a day, and what still holds is told by the next one', async () => {
    const { look, disk, hold, ledger, clock, receiver, told, lines } = await start();
    receiver.answers = [503];
    disk.mib = 10;
    await hold();
    await look(2 * HOUR);
    await ledger.markPaid(1, { by: 'ann' }, clock.now());
    clock.jump(24 * HOUR);
    await look();
    expect(lines.map(({ code }) => code)).toContain('alarms-given-up');
    receiver.answers = [204];
    await look(HOUR);
    expect(told()[0]).toEqual(['+ disk-low', '+ grants-held']);
    expect(told().at(-1)).toEqual(['+ disk-low']);
  }, 30_000);

  test('`Retry-After` is respected, up to an hour', async () => {
    const { look, disk, receiver } = await start();
    const later = (seconds: number) => (response: import('node:http').ServerResponse) =>
      response.writeHead(429, { 'Retry-After': String(seconds) }).end();
    receiver.answers = [later(300), later(999_999), 204];
    disk.mib = 10;
    await look(4 * MINUTE);
    expect(receiver.requests).toHaveLength(1);
    await look(2 * MINUTE);
    expect(receiver.requests).toHaveLength(2);
    await look(HOUR + MINUTE);
    expect(receiver.requests).toHaveLength(3);
  });

  test('a redirect is not followed', async () => {
    const [receiver, elsewhere] = [await sink(), await sink()];
    receiver.answers = [(response) => response.writeHead(307, { Location: elsewhere.url }).end()];
    const { look, disk, lines } = startAlarms({ url: receiver.url });
    disk.mib = 10;
    await look(2 * LOOK_MS);
    expect(elsewhere.requests).toEqual([]);
    expect(lines).toMatchObject([{ code: 'alarms-unsent', fields: { reason: 'redirected', status: 307 } }]);
  });

  test('a receiver that does not answer is given 10 seconds', async () => {
    const { look, disk, receiver, clock, lines } = await start();
    receiver.answers = [() => {}];
    disk.mib = 10;
    const looking = look();
    await receiver.request(1);
    clock.advance(10_000);
    await looking;
    expect(lines).toMatchObject([{ fields: { reason: 'timeout' } }]);
  });

  test('nothing about the URL is logged', async () => {
    const { look, disk, lines } = startAlarms({ url: 'http://127.0.0.1:1/hook/very-secret-token' });
    disk.mib = 10;
    await look();
    expect(lines).toMatchObject([{ code: 'alarms-unsent', fields: { reason: 'port-refused' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/very-secret-token|127\.0\.0\.1/);
  });
});

describe('after a restart', () => {
  test('what was told is not told again, and what is over then is told', async () => {
    const { look, restart, disk, hold, told } = await start();
    disk.mib = 10;
    await hold();
    await look();
    await restart(() => (disk.mib = 50_000));
    await look(2 * LOOK_MS);
    expect(told()).toEqual([['+ disk-low', '+ grants-held'], ['- disk-low']]);
  });

  test('a game server of which nothing is known yet stays away', async () => {
    const { look, restart, ledger, clock, told } = await start({
      gameServers: [{ name: 'main', takesVotes: false }],
    });
    await ledger.storeQueueState('main', 'unreachable', clock.now());
    await look(11 * MINUTE);
    await restart();
    await ledger.startDelivering();
    await look(2 * LOOK_MS);
    await ledger.stopDelivering();
    expect(told()).toEqual([['+ game-server-away main']]);
  });

  test('a message that has not arrived is posted again with its event ID', async () => {
    const { look, restart, disk, receiver } = await start();
    receiver.answers = [503, 204];
    disk.mib = 10;
    await look();
    await restart();
    await look();
    const [first, second] = receiver.requests.map(({ json }) => json.eventId);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });

  test('a site is not silent because no Teller ran', async () => {
    const { look, restart, ledger, clock, told } = await start({ sites: ['List'] });
    const vote = () =>
      record(
        ledger,
        [arrival({ site: 'List', player: `P${clock.now()}`, receivedAt: clock.now(), claim: null })],
        rulesFor(),
      );
    await vote();
    clock.jump(HOUR);
    await vote();
    await look();
    await restart(() => clock.jump(8 * HOUR));
    await look();
    expect(told()).toEqual([]);
    clock.jump(6 * HOUR);
    await look();
    expect(told()).toEqual([['+ site-silent List']]);
  });

  test('everything that holds is told again if the record is damaged', async () => {
    const { look, restart, disk, recordFile, lines, told } = await start();
    disk.mib = 10;
    await look();
    await restart(() => writeFileSync(recordFile, '{'));
    await look();
    expect(told()).toEqual([['+ disk-low'], ['+ disk-low']]);
    expect(lines.map(({ code }) => code)).toContain('alarms-damaged');
  });
});

test('a record that cannot be written, as on a full disk, keeps no message back', async () => {
  const { look, disk, recordFile, lines, told } = await start();
  mkdirSync(recordFile);
  disk.mib = 10;
  await look(3 * LOOK_MS);
  disk.mib = 50_000;
  await look(3 * LOOK_MS);
  expect(told()).toEqual([['+ disk-low'], ['- disk-low']]);
  expect(lines.filter(({ code }) => code === 'data-unwritable')).toHaveLength(1);
});

test('the record is for its owner only, and does not hold the URL or the secret', async () => {
  const { look, disk, recordFile, receiver } = await start();
  disk.mib = 10;
  await look();
  expect(statSync(recordFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(recordFile, 'utf8')).not.toContain(`:${receiver.port}`);
  expect(readFileSync(recordFile, 'utf8')).not.toContain(ALARMS_SECRET);
});

test('without `alarms` in the config nothing is written or sent, and a reload begins it', async () => {
  const { look, disk, receiver, apply } = await start();
  apply({ target: null });
  disk.mib = 10;
  await look(2 * LOOK_MS);
  expect(receiver.requests).toEqual([]);
  apply({ target: targetAt(receiver.url) });
  await look();
  expect(receiver.requests).toHaveLength(1);
});

test('what is gone from the config is over', async () => {
  const { look, ledger, clock, told, apply, settings } = await start({
    gameServers: [{ name: 'main', takesVotes: false }],
  });
  await ledger.storeQueueState('main', 'unreachable', clock.now());
  await look(11 * MINUTE);
  apply({ watched: { ...settings.watched, gameServers: [] } });
  await look();
  expect(told()).toEqual([['+ game-server-away main'], ['- game-server-away main']]);
});
