import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startAlarms } from '../support/alarms.ts';
import { naming } from '../support/naming.ts';
import { sink } from '../support/sink.ts';
import { operator } from './operator.ts';

const URL_TOKEN = 'very-secret-token';

/** An operator whose alarms go to a receiver that notes them. */
async function notified() {
  const receiver = await sink();
  const url = `http://127.0.0.1:${receiver.port}/hook/${URL_TOKEN}`;
  const one = await operator({ alarms: { url, secret: 'the-secret-of-the-alarms' } });
  const running = startAlarms({ url, over: { ledger: one.ledger, file: one.file } });
  const found = async () => {
    const { out } = await one.teller('check', '--offline', '--json');
    return (JSON.parse(out) as { code: string; mark: string; sentence: string }[]).filter(({ code }) =>
      code.startsWith('alarms'),
    );
  };
  return { one, receiver, url, running, found };
}

describe('alarms', () => {
  test('exits 1 while an alarm holds, and shows since when, what to do and what was notified', async () => {
    const { one, running } = await notified();
    running.disk.mib = 10;
    await running.look();
    const { out, exit } = await one.teller('alarms');
    expect(exit).toBe(1);
    expect(out.split('\n').slice(0, 4)).toEqual([
      naming(/^ALARM +SINCE +NOTIFIED +WHAT/),
      naming(
        /^disk-low {2}2026-06-01T12:00:00.000Z {2}2026-06-01T12:00:00.000Z {2}The disk/,
        '10 MiB',
        '→ Free',
      ),
      'the last message arrived at 2026-06-01T12:00:00.000Z',
      naming(/^2026-06-01T12:00:00.000Z {2}The disk of the ledger has been nearly full/),
    ]);

    running.disk.mib = 50_000;
    await running.look();
    const after = await one.teller('alarms', '--json');
    expect(after.exit).toBe(0);
    expect(JSON.parse(after.out)).toMatchObject([
      {
        ...{ configured: true, form: 'json', alarms: [], waiting: null },
        lastPost: { code: 'arrived', status: 204, failure: null },
        sent: [
          { began: [], ended: [{ alarm: 'disk-low', until: '2026-06-01T12:00:15.000Z' }] },
          { began: [{ alarm: 'disk-low', until: null }], ended: [] },
        ],
      },
    ]);
  });

  test('says why the last attempt failed, as check does, without showing the URL', async () => {
    const { one, running, receiver, found } = await notified();
    expect(await found()).toMatchObject([{ mark: 'ok', code: 'alarms' }]);
    receiver.answers = [404, 204];
    running.disk.mib = 10;
    await running.look();
    const { out, err } = await one.teller('alarms');
    expect(out).toEqual(naming('failed attempts: 1', '[url-not-found]', 'HTTP 404', 'not yet'));
    const [finding] = await found();
    expect(finding).toMatchObject({ mark: 'warning', code: 'alarms-unsent' });
    expect(`${out}${err}${finding?.sentence}`).not.toMatch(/very-secret|127\.0\.0\.1/);
    running.apply({});
    await running.look();
    expect(await found()).toMatchObject([{ mark: 'ok', sentence: naming('1 alarm holds') }]);
  });

  test('without `alarms` in the config are not watched, which is no finding', async () => {
    const one = await operator();
    expect(await one.teller('alarms')).toMatchObject({ exit: 0, out: naming('nobody is notified') });
    const { out } = await one.teller('check', '--offline', '--json');
    expect(out).not.toContain('"alarms');
  });
});

describe('alarms test', () => {
  test('posts a signed test event, and shows what came back', async () => {
    const { one, receiver } = await notified();
    receiver.answers = [(response) => response.end('thank you')];
    const { out, exit } = await one.teller('alarms', 'test');
    expect(exit).toBe(0);
    expect(out).toEqual(naming('arrived (HTTP 200', 'the receiver answered: thank you'));
    const [request] = receiver.requests;
    expect(request?.json).toMatchObject({ event: 'alarms.changed', eventId: 'test', test: true });
    expect(request?.headers['x-webhook-signature']).toMatch(/^sha256=/);
  });

  test('exits 1 with a stable code if the receiver refuses it, and hides the URL in its answer', async () => {
    const { one, receiver } = await notified();
    receiver.answers = [(response) => response.writeHead(403).end(`no hook at /hook/${URL_TOKEN}`)];
    const { out, err, exit } = await one.teller('alarms', 'test');
    expect(exit).toBe(1);
    expect(out).toEqual(naming('[not-let-in]', 'HTTP 403', 'no hook at (hidden)'));
    expect(`${out}${err}`).not.toContain(URL_TOKEN);
    const { out: json } = await one.teller('alarms', 'test', '--json');
    expect(JSON.parse(json)).toMatchObject([{ kind: 'failed', code: 'not-let-in', status: 403 }]);
    expect(json).not.toContain(URL_TOKEN);
  });

  test('sends nothing without `alarms` (alarms-none) or without the URL (secret-missing)', async () => {
    const none = await operator();
    expect(await none.teller('alarms', 'test')).toMatchObject({ exit: 2, err: naming('[alarms-none]') });
    const one = await operator({ alarms: { url: 'file:alarms.url' } });
    expect(await one.teller('alarms', 'test')).toMatchObject({ exit: 2, err: naming('secret-missing') });
    const receiver = await sink();
    writeFileSync(join(one.folder, 'alarms.url'), `${receiver.url}\n`);
    expect(await one.teller('alarms', 'test')).toMatchObject({ exit: 0 });
  });
});
