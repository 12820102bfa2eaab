import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { sink } from '../support/sink.ts';

const URL_TOKEN = 'very-secret-token';
const JUMPED = /2026-06-02T14:00:\d\d\.\d{3}Z/;

/** A Teller whose alarms go to a receiver that notes them. `doubt` makes its clock doubtful. */
async function notified() {
  const receiver = await sink();
  const url = `http://127.0.0.1:${receiver.port}/hook/${URL_TOKEN}`;
  const alarms = { url, secret: 'the-secret-of-the-alarms' };
  const teller = await here({ alarms, rewards: [] }, new FakeClock('2026-06-01T12:00:00Z'));
  const found = async () =>
    (await teller.run('check', '--offline', '--json')).json.filter(({ code }: { code: string }) =>
      code.startsWith('alarms'),
    );
  const untilGot = (requests: number) => teller.until(() => receiver.requests.length === requests);
  const doubt = async () => {
    await teller.vote({ player: 'Steve' });
    teller.clock.jump(26 * 3_600_000);
    await teller.vote({ player: 'Alex' });
    await untilGot(1);
    await teller.pass(1_000);
  };
  return { teller, receiver, found, untilGot, doubt };
}

describe('alarms', () => {
  test('exits 1 while an alarm holds, and shows since when, what to do and what was notified', async () => {
    const { teller, untilGot, doubt } = await notified();
    await doubt();
    const { out, exit } = await teller.run('alarms');
    expect([exit, ...out.split('\n').slice(0, 4)]).toEqual([
      1,
      naming(/^ALARM +SINCE +NOTIFIED +WHAT/),
      naming(/^clock-doubtful {2}2026-06-02T14:00:\S+ {2}2026-06-02T14:00:\S+ {2}The clock/, '→ Look'),
      naming(/^the last message arrived at/, JUMPED),
      naming(/^2026-06-02T14:00:\S+ {2}The clock of Teller’s machine is doubtful/),
    ]);

    await teller.run('clock', 'release', '--yes');
    await untilGot(2);
    await teller.pass(1_000);
    const after = await teller.run('alarms', '--json');
    const until = expect.stringMatching(JUMPED);
    expect([after.exit, after.json]).toMatchObject([
      0,
      [
        {
          ...{ configured: true, form: 'json', alarms: [], waiting: null },
          lastPost: { code: 'arrived', status: 204, failure: null },
          sent: [
            { began: [], ended: [{ alarm: 'clock-doubtful', until }] },
            { began: [{ alarm: 'clock-doubtful', until: null }], ended: [] },
          ],
        },
      ],
    ]);
  });

  test('says why the last attempt failed, as check does, without showing the URL', async () => {
    const { teller, receiver, found, doubt } = await notified();
    expect(await found()).toMatchObject([{ mark: 'ok', code: 'alarms' }]);
    receiver.answers = [404, 204];
    await doubt();
    const { out, err } = await teller.run('alarms');
    expect(out).toEqual(naming('failed attempts: 1', '[url-not-found]', 'HTTP 404', 'not yet'));
    const [finding] = await found();
    expect(finding).toMatchObject({ mark: 'warning', code: 'alarms-unsent' });
    expect(`${out}${err}${finding?.sentence}`).not.toMatch(/very-secret|127\.0\.0\.1/);
  });

  test('without `alarms` in the config are not watched, which is no finding', async () => {
    const one = desk();
    expect(await one.run('alarms')).toMatchObject({ exit: 0, out: naming('nobody is notified') });
    expect((await one.run('check', '--offline', '--json')).out).not.toContain('"alarms');
  });
});

describe('alarms test', () => {
  /** An operator with a receiver, and no Teller that runs. */
  async function told() {
    const receiver = await sink();
    const url = `http://127.0.0.1:${receiver.port}/hook/${URL_TOKEN}`;
    return { receiver, run: desk({ alarms: { url, secret: 'the-secret-of-the-alarms' } }).run };
  }

  test('posts a signed test event, and shows what came back', async () => {
    const { run, receiver } = await told();
    receiver.answers = [(response) => response.end('thank you')];
    const { out, exit } = await run('alarms', 'test');
    expect([exit, out]).toEqual([0, naming('arrived (HTTP 200', 'the receiver answered: thank you')]);
    const [request] = receiver.requests;
    expect(request?.json).toMatchObject({ event: 'alarms.changed', eventId: 'test', test: true });
    expect(request?.headers['x-webhook-signature']).toMatch(/^sha256=/);
  });

  test('exits 1 with a stable code if the receiver refuses it, and hides the URL in its answer', async () => {
    const { run, receiver } = await told();
    receiver.answers = [(response) => response.writeHead(403).end(`no hook at /hook/${URL_TOKEN}`)];
    const { out, err, exit } = await run('alarms', 'test');
    expect([exit, out]).toEqual([1, naming('[not-let-in]', 'HTTP 403', 'no hook at (hidden)')]);
    const { out: printed, json } = await run('alarms', 'test', '--json');
    expect(json).toMatchObject([{ kind: 'failed', code: 'not-let-in', status: 403 }]);
    expect(`${out}${err}${printed}`).not.toContain(URL_TOKEN);
  });

  test('sends nothing without `alarms` (alarms-none) or without the URL (secret-missing)', async () => {
    const one = desk();
    expect(await one.run('alarms', 'test')).toMatchObject({ exit: 2, err: naming('[alarms-none]') });
    rewrite(one, { alarms: { url: 'file:alarms.url' } });
    expect(await one.run('alarms', 'test')).toMatchObject({ exit: 2, err: naming('secret-missing') });
    writeFileSync(join(one.folder, 'alarms.url'), `${(await sink()).url}\n`);
    expect(await one.run('alarms', 'test')).toMatchObject({ exit: 0 });
  });
});
