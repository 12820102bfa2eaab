import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALARMS_EVENT, AlarmsPayload } from '../../protocol/events.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook.ts';
import { freeDisk } from '../kit/disk.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { rewrite } from '../kit/place.ts';
import { type ReceiverAnswer, receiver } from '../kit/receiver.ts';
import { FakeClock } from '../support/fake-clock.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** How often it looks. */
const LOOK = 15 * SECOND;
const SECRET = 'the-secret-of-the-alarms';
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

async function alarming(
  more: object = {},
  alarms: object | null = {},
  now: string | number = '2026-06-01T12:00:00Z',
) {
  const to = await receiver();
  const game = await rconGame();
  const disk = freeDisk();
  const config0 = {
    ...{ timeZone: 'UTC', gameServers: { main: game.entry }, rewards: [SAY] },
    ...(alarms === null ? {} : { alarms: { url: to.url, secret: SECRET, ...alarms } }),
    ...more,
  };
  const teller = await here(config0, new FakeClock(now));
  const told: string[][] = [];
  /** Time for so many looks. */
  const look = (count = 1) => teller.pass(count * LOOK, SECOND);
  return Object.assign(teller, {
    ...{ receiver: to, game, disk, config0, look },
    recordFile: join(teller.folder, 'data/teller.db.alarms'),
    /** What began and what ended, message by message, by kind and subject. */
    told: () => to.requests.map(({ json }) => changesIn(json)),
    /** Looks until there is another message, which tells exactly this. */
    tells: async (...changes: readonly string[]) => {
      told.push([...changes]);
      await teller.until(() => to.requests.length >= told.length, 4 * SECOND);
      expect(to.requests.map(({ json }) => changesIn(json))).toEqual(told);
    },
    /** Looks until so many messages have requests. */
    untilTold: (count: number) => teller.until(() => to.requests.length >= count, 4 * SECOND),
    /** A vote whose command runs without an answer, so that its reward is held. */
    hold: async (player: string) => {
      game.fault('run-and-close');
      await teller.vote({ player });
      await teller.until(async () =>
        (await teller.grants()).some((one) => one.player === player && one.state === 'held'),
      );
    },
  });
}

/** One whose disk is nearly full. @param answers of its receiver. */
async function nearlyFull(...answers: readonly ReceiverAnswer[]) {
  const teller = await alarming();
  teller.receiver.answers = answers;
  teller.disk.mib = 10;
  return teller;
}

const changesIn = ({ data }: AlarmsPayload): string[] => {
  const name = ({ alarm, subject }: { alarm: string; subject: string | null }): string =>
    subject === null ? alarm : `${alarm} ${subject}`;
  return [...data.began.map((one) => `+ ${name(one)}`), ...data.ended.map((one) => `- ${name(one)}`)];
};

const codesOf = ({ log }: Here) =>
  log
    .filter(({ code }) => code.startsWith('alarms-'))
    .map(({ code, fields }) => [code, (fields as { reason?: string }).reason]);

test('grants-held: the operator is notified once when a reward is held, and once when none is', async () => {
  const teller = await alarming();
  await teller.hold('Steve');
  await teller.look(2);
  await teller.hold('Alex');
  await teller.tells('+ grants-held');
  for (const id of ['1', '2']) await teller.run('grants', 'mark-paid', id, '--yes');
  await teller.tells('- grants-held');
  await teller.hold('Sasha');
  await teller.tells('+ grants-held');
  const said = `${JSON.stringify(teller.receiver.requests.map(({ json }) => json))}${readFileSync(teller.recordFile)}`;
  expect(said).not.toMatch(/steve|alex|sasha/i);
  expect(teller.receiver.requests[0]?.json.data.text).toContain('thanks on main, grant 1');
});

test('disk-low: below 1,024 MiB it begins, and with 1,280 MiB it is over, so that it does not come and go', async () => {
  const { disk, ...teller } = await alarming();
  for (const mib of [1_280, 1_024]) {
    disk.mib = mib;
    await teller.look(2);
  }
  disk.mib = 1_023;
  await teller.tells('+ disk-low');
  for (const mib of [1_024, 1_279]) {
    disk.mib = mib;
    await teller.look(3);
  }
  disk.mib = 1_280;
  await teller.tells('- disk-low');
  const texts = teller.receiver.requests.map(({ json }) => json.data.text.replace(/12:0\d/, '12:0X'));
  expect(texts).toEqual([
    '⚠️ The disk of the ledger has been nearly full since 12:0X UTC: only 1,023 MiB are free. Free some space. When the disk is full, no vote can be stored.',
    '✅ The disk of the ledger has room again: 1,280 MiB are free.',
  ]);
});

test('game-server-away: begins when a game server has been away for 10 minutes, and is over when it answers', async () => {
  const { game, ...teller } = await alarming();
  game.fault('close-after-login', 25);
  await teller.vote({ player: 'Steve' });
  await teller.pass(10 * MINUTE, 2 * SECOND);
  expect(teller.told()).toEqual([]);
  await teller.tells('+ game-server-away main');
  await teller.until(() => teller.told().length === 2, 30 * SECOND);
  await teller.tells('- game-server-away main');
});

test('what is gone from the config is over', async () => {
  const { game, ...teller } = await alarming();
  game.fault('close-after-login', 1_000);
  await teller.vote({ player: 'Steve' });
  await teller.tells('+ game-server-away main');
  const gameServers = { other: (await rconGame()).entry };
  expect(await teller.reload({ ...teller.config0, gameServers })).toMatchObject({ exit: 0 });
  await teller.untilTold(2);
  expect(teller.told()[1]).toContain('- game-server-away main');
});

test('clock-doubtful: and what the clock holds is grants-held once the clock is trusted', async () => {
  const { clock, ...teller } = await alarming();
  const vote = (player: string) => teller.vote({ player, timestamp: '' });
  await vote('Steve');
  clock.jump(26 * HOUR);
  await vote('Alex');
  await teller.tells('+ clock-doubtful');
  clock.jump(-26 * HOUR);
  await vote('Sasha');
  await teller.tells('+ grants-held', '- clock-doubtful');
  await teller.run('clock', 'release', '--yes');
  await teller.tells('- grants-held');
});

test('clock-doubtful: holds before the first vote if the clock was never set', async () => {
  const teller = await alarming({}, {}, HOUR);
  await teller.tells('+ clock-doubtful');
});

test('config-newer: begins when the file has differed from what runs for 10 minutes, and is over after a reload', async () => {
  const teller = await alarming();
  rewrite(teller, { ...teller.config0, rewards: [{ ...SAY, when: 'soon' }], log: { level: 'loud' } });
  await teller.pass(9 * MINUTE, 5 * SECOND);
  expect(teller.told()).toEqual([]);
  await teller.tells('+ config-newer');
  expect(teller.receiver.requests[0]?.json.data.text).toMatch(
    /^⚠️ config\.json was changed at 12:0\d UTC, and Teller still runs the earlier config\. The file has 2 problems, so Teller would not start with it\. See `teller check`, then run `teller reload`\.$/,
  );
  expect((await teller.reload({ ...teller.config0, rewards: [] })).exit).toBe(0);
  await teller.tells('- config-newer');
});

/** Whether List is silent 40 hours after the start, if its votes came so many hours before that. */
async function isSilentAfter(...hours: readonly number[]): Promise<boolean> {
  const teller = await alarming();
  const { clock } = teller;
  const now = clock.now() + 40 * HOUR;
  for (const [index, hour] of hours.entries()) {
    clock.advance(now - hour * HOUR - clock.now());
    expect(await teller.vote({ player: `P${index}` })).toBe('ok');
  }
  clock.advance(now - LOOK - clock.now());
  // It is told with the next look. A look in the longest gap may have found it silent then.
  teller.disk.mib = 10;
  const told = () => teller.told().flat();
  await teller.until(() => told().includes('+ disk-low'), 4 * SECOND);
  await teller.stop();
  return (
    told()
      .findLast((change) => change.endsWith('site-silent List'))
      ?.startsWith('+') ?? false
  );
}

test('site-silent: begins after three times the longest gap between votes, and after six hours at least', async () => {
  expect(await isSilentAfter(33, 30, 27, 24, 9.02)).toBe(false); // the longest gap is 15 hours
  expect(await isSilentAfter(18, 15, 12, 9.01)).toBe(true);
  expect(await isSilentAfter(18, 15, 12, 8.9)).toBe(false);
  expect(await isSilentAfter(7, 6.5, 6.01)).toBe(true);
  expect(await isSilentAfter(7, 6.5, 5.9)).toBe(false);
  expect(await isSilentAfter(38)).toBe(false); // without a gap nothing is known
});

test('site-silent: gaps of more than 14 days ago do not count, and the next vote ends it', async () => {
  const teller = await alarming();
  const { clock } = teller;
  for (const hours of [0, 100, 15 * 24, 1]) {
    clock.advance(hours * HOUR);
    await teller.vote({ player: `P${clock.now()}`.slice(0, 16) });
  }
  clock.advance(7 * HOUR);
  await teller.look(2);
  // The longest gap of the last 14 days ended with the third vote.
  expect(teller.told()).toEqual([]);
  clock.advance(14 * 24 * HOUR - 7.5 * HOUR);
  await teller.tells('+ site-silent List');
  await teller.vote({ player: 'Steve' });
  await teller.tells('- site-silent List');
  expect(teller.receiver.requests[1]?.json.data.text).toContain('Votes come from List again');
});

test('site-silent: time in which no Teller ran does not count', async () => {
  const teller = await alarming();
  const { clock } = teller;
  await teller.vote({ player: 'A' });
  clock.advance(HOUR);
  await teller.vote({ player: 'B' });
  // The message shows that it has looked since.
  teller.disk.mib = 10;
  await teller.tells('+ disk-low');
  await teller.look();
  await teller.restart(() => clock.advance(8 * HOUR));
  teller.disk.mib = 50_000;
  await teller.tells('- disk-low');
  clock.advance(6 * HOUR);
  await teller.tells('+ site-silent List');
});

test('a message holds everything that is new, with the name of this Teller, and is signed as other events are', async () => {
  const teller = await alarming({}, { name: 'survival' });
  teller.disk.mib = 10;
  await teller.hold('Steve');
  await teller.until(() => teller.told().flat().length === 2, SECOND);
  expect(teller.told().flat().toSorted()).toEqual(['+ disk-low', '+ grants-held']);
  const { headers = {}, body = Buffer.alloc(0) } = teller.receiver.requests[0] ?? {};
  expect(AlarmsPayload.parse(JSON.parse(String(body)))).toMatchObject({
    ...{ event: ALARMS_EVENT, test: false },
    data: { name: 'survival', text: expect.stringMatching(/^survival: ⚠️ The disk/) },
  });
  expect(headers).toMatchObject({ 'x-service-event': ALARMS_EVENT, 'x-service-attempt': '1' });
  const signature = String(headers[SIGNATURE_HEADER.toLowerCase()]);
  expect(verifySignature(signature, body, SECRET)).toBe(true);
  expect(verifySignature(signature, body, 'another-secret')).toBe(false);
});

test('while the receiver is down, the same message is posted again, later each time, until it arrives', async () => {
  const teller = await nearlyFull(503, 503, 204);
  await teller.untilTold(3);
  await teller.until(() => codesOf(teller).length === 2);
  const { requests } = teller.receiver;
  expect(requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
  expect(new Set(requests.map(({ body }) => String(body))).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
  expect(codesOf(teller)).toEqual([
    ['alarms-unsent', 'receiver-failed'],
    ['alarms-sent', undefined],
  ]);
});

test('an alarm that is over by then is told as over next, with what began and ended meanwhile', async () => {
  const teller = await nearlyFull(503);
  await teller.look(2);
  teller.disk.mib = 50_000;
  await teller.hold('Steve');
  await teller.look();
  await teller.run('grants', 'mark-paid', '1', '--yes');
  await teller.look();
  teller.receiver.answers = [204];
  await teller.until(() => teller.told().at(-1)?.[0] === '- disk-low', 4 * SECOND);
  expect(teller.told().slice(-2)).toEqual([['+ disk-low'], ['- disk-low', '- grants-held']]);
});

test('an hour passes after an answer that says no, and after a reload the next look tries again', async () => {
  for (const [status, reason] of [
    [404, 'url-not-found'],
    [401, 'not-let-in'],
  ] as const) {
    const teller = await nearlyFull(status, 204);
    const { requests } = teller.receiver;
    await teller.until(() => codesOf(teller).length > 0, 4 * SECOND);
    await teller.pass(4 * MINUTE, 5 * SECOND);
    expect([codesOf(teller), requests.length]).toEqual([[['alarms-unsent', reason]], 1]);
    if (status === 404) {
      teller.clock.advance(54 * MINUTE);
      await teller.look();
      expect(requests).toHaveLength(1);
    } else await teller.reload({ ...teller.config0, log: { level: 'debug' } });
    await teller.untilTold(2);
    await teller.stop();
  }
});

test('a message is given up after a day, and what still holds is told by the next one', async () => {
  const teller = await nearlyFull(503);
  await teller.hold('Steve');
  for (let attempts = 1; attempts <= 10; attempts++) {
    await teller.untilTold(attempts);
    await teller.pass(SECOND);
    teller.clock.advance(10 * MINUTE);
  }
  await teller.run('grants', 'mark-paid', '1', '--yes');
  await teller.look(2);
  teller.clock.advance(24 * HOUR);
  await teller.until(() => codesOf(teller).some(([code]) => code === 'alarms-given-up'), 4 * SECOND);
  teller.receiver.answers = [204];
  teller.clock.advance(HOUR);
  await teller.until(() => codesOf(teller).some(([code]) => code === 'alarms-sent'), 4 * SECOND);
  expect(teller.told().at(-1)).toEqual(['+ disk-low']);
});

test('`Retry-After` is respected, up to an hour', async () => {
  const later = (seconds: number) => (response: import('node:http').ServerResponse) =>
    response.writeHead(429, { 'Retry-After': String(seconds) }).end();
  const teller = await nearlyFull(later(300), later(999_999), 204);
  const { requests } = teller.receiver;
  await teller.untilTold(1);
  await teller.pass(4 * MINUTE, 5 * SECOND);
  expect(requests).toHaveLength(1);
  await teller.untilTold(2);
  await teller.pass(SECOND);
  teller.clock.advance(58 * MINUTE);
  await teller.look();
  expect(requests).toHaveLength(2);
  await teller.untilTold(3);
});

test('a receiver that does not answer is given 10 seconds, and nothing about its URL is logged', async () => {
  const teller = await nearlyFull(() => {});
  await teller.until(() => codesOf(teller).length > 0, SECOND);
  expect(codesOf(teller)).toEqual([['alarms-unsent', 'timeout']]);
  expect(JSON.stringify(teller.log)).not.toMatch(new RegExp(`/hook|${teller.receiver.port}`));
});

test('after a restart, what was told is not told again, and what is over then is told', async () => {
  const teller = await nearlyFull();
  await teller.tells('+ disk-low');
  await teller.hold('Steve');
  await teller.tells('+ grants-held');
  await teller.look();
  await teller.restart(() => (teller.disk.mib = 50_000));
  await teller.tells('- disk-low');
});

test('a message that has not arrived is posted again after a restart, with its event ID', async () => {
  const teller = await nearlyFull(503, 204);
  await teller.until(() => teller.told().length === 1, SECOND);
  await teller.pass(SECOND);
  await teller.restart();
  await teller.look(2);
  const [first, second] = teller.receiver.requests.map(({ json }) => json.eventId);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toBe(first);
});

test('the record is for its owner only, and holds neither the URL nor the secret; if it is damaged, everything that holds is told again', async () => {
  const teller = await nearlyFull();
  await teller.tells('+ disk-low');
  await teller.look();
  expect(statSync(teller.recordFile).mode & 0o777).toBe(0o600);
  const text = readFileSync(teller.recordFile, 'utf8');
  for (const hidden of [`:${teller.receiver.port}`, SECRET]) expect(text).not.toContain(hidden);
  await teller.restart(() => writeFileSync(teller.recordFile, '{'));
  await teller.tells('+ disk-low');
  expect(codesOf(teller).map(([code]) => code)).toContain('alarms-damaged');
});

test('a record that cannot be written, as on a full disk, keeps no message back', async () => {
  const teller = await nearlyFull();
  rmSync(teller.recordFile, { force: true });
  mkdirSync(teller.recordFile);
  await teller.tells('+ disk-low');
  await teller.look(3);
  teller.disk.mib = 50_000;
  await teller.tells('- disk-low');
  expect(teller.log.filter(({ code }) => code === 'data-unwritable')).toHaveLength(1);
});

test('without `alarms` in the config nothing is watched, and a reload begins it', async () => {
  const teller = await alarming({}, null);
  teller.disk.mib = 10;
  await teller.look(2);
  expect(teller.told()).toEqual([]);
  await teller.reload({ ...teller.config0, alarms: { url: teller.receiver.url, secret: SECRET } });
  await teller.tells('+ disk-low');
});

test('a time is told in the zone of the config, with its date only if it is another day', async () => {
  for (const [timeZone, now, told] of [
    ['UTC', '2026-06-01T09:05:00Z', '09:05 UTC'],
    ['Europe/Berlin', '2026-06-01T22:05:00Z', '00:05 CEST'],
    ['America/New_York', '2026-06-01T16:05:00Z', '12:05 GMT-4'],
  ] as const) {
    const teller = await alarming({ timeZone }, {}, now);
    teller.disk.mib = 10;
    await teller.untilTold(1);
    const [{ json } = expect.fail()] = teller.receiver.requests;
    expect(json.data.text, timeZone).toContain(`nearly full since ${told}`);
    await teller.stop();
  }
  const late = await alarming({}, {}, '2026-05-31T23:59:00Z');
  late.receiver.answers = [503];
  late.disk.mib = 10;
  await late.until(() => late.receiver.requests.length > 0, SECOND);
  late.clock.advance(2 * MINUTE);
  const { out } = await late.run('alarms');
  expect(out).toContain('31 May 23:59 UTC');
});
