import { connect } from 'node:net';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { ledgerFileOf, moveLedgerAway } from '../kit/ledger-file.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const WRONG = 'another-token-of-thirty-two-characters';

const SITES = { default: { token: TOKEN }, 'Real-List.com': {} };
const refusing = (more: object = {}): Promise<Here> =>
  here({ sites: SITES, ...more }, new FakeClock('2026-06-01T12:00:00Z'));

/** A vote with a wrong token: the refusal v2-signature. */
async function guess(teller: Here, site: string, from = '127.0.0.1', times = 1): Promise<void> {
  for (let n = 0; n < times; n++)
    expect(await teller.vote({ player: 'Steve', site, token: WRONG, from })).toBe('InvalidSignature');
}

/** What a scanner sends: the refusals http, tls and ssh, which are noise. */
const HTTP = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const scan = ({ port }: Here, bytes = HTTP, from = '127.0.0.1'): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume().end(bytes);
  });

interface Row {
  readonly service: string | null;
  readonly refusals: readonly { code: string; count: number; lastAt: string; senders: readonly string[] }[];
  readonly noise?: readonly { code: string; count: number }[];
}

async function rowOf(teller: Here, service: string | null): Promise<Row | undefined> {
  const { json } = await teller.run('sites', '--json');
  return json.find((row: Row) => row.service === service);
}

const shownLines = ({ log }: Here) =>
  log.filter(({ code }) => /^(?:v2-|refusals|http|tls|ssh|empty|incomplete)/.test(code));

test('rule 11: the first refusal with a code in ten seconds is one line, with sender, service and what to do; the rest are a count', async () => {
  const teller = await refusing();
  await guess(teller, 'List', '127.0.0.1', 30);
  expect(shownLines(teller)).toMatchObject([
    {
      ...{ level: 'warn', code: 'v2-signature', fields: { service: 'List', sender: '127.0.0.1' } },
      sentence: naming('127.0.0.1', 'List', 'token'),
    },
  ]);
  await guess(teller, 'Other', '127.0.0.2');
  await scan(teller, undefined, '127.0.0.3');
  await scan(teller, undefined, '127.0.0.4');
  teller.clock.advance(10_000);
  expect(shownLines(teller).slice(1)).toMatchObject([
    { level: 'debug', code: 'http' },
    {
      ...{ level: 'info', code: 'refusals', fields: { refused: 33 } },
      sentence: naming('33', '10 s', '31 v2-signature', '2 http (127.0.0.3)'),
    },
  ]);
  await guess(teller, 'List');
  teller.clock.advance(10_000);
  // A single refusal has no summary.
  expect(shownLines(teller).slice(3)).toMatchObject([{ code: 'v2-signature' }]);
});

test('what reaches any open port is logged at debug level, and in the summary', async () => {
  const teller = await refusing();
  const scans = { http: HTTP, ssh: 'SSH-2.0-OpenSSH_9.6\r\n', empty: '', incomplete: 's:' };
  for (const [code, bytes] of Object.entries(scans)) {
    const before = shownLines(teller).length;
    const lines = () => shownLines(teller).slice(before);
    await scan(teller, bytes);
    await teller.until(() => lines().length > 0);
    teller.clock.advance(10_000);
    expect(lines().map((line) => `${line.level} ${line.code}`)).toEqual([`debug ${code}`, 'info refusals']);
  }
  await teller.until(async () => (await rowOf(teller, null))?.noise?.length === 4);
  const noise = (await rowOf(teller, null))?.noise ?? [];
  expect(Object.fromEntries(noise.map(({ code, count }) => [code, count]))).toEqual({
    ...{ http: 1, ssh: 1, empty: 1, incomplete: 1 },
  });
});

test('each listed site that was refused is named, even after strangers sent many invented names', async () => {
  const teller = await refusing();
  for (let n = 0; n < 50; n++) await guess(teller, `Invented-${n}`, '127.0.0.9');
  await guess(teller, 'Real-List.com');
  expect(shownLines(teller).map(({ fields }) => fields)).toMatchObject([
    { service: 'Invented-0' },
    { service: 'Real-List.com', sender: '127.0.0.1' },
  ]);
});

test('rule 7: refusals are counted by code, service and sender; the first is stored at once, the others when ten seconds are over', async () => {
  const teller = await refusing();
  await guess(teller, 'List');
  await teller.until(async () => ((await rowOf(teller, 'List'))?.refusals.length ?? 0) > 0, 50);
  expect((await rowOf(teller, 'List'))?.refusals).toMatchObject([{ code: 'v2-signature', count: 1 }]);
  await guess(teller, 'List');
  await guess(teller, 'List', '127.0.0.2');
  expect((await rowOf(teller, 'List'))?.refusals).toMatchObject([{ count: 1 }]);
  const lastAt = new Date(teller.clock.now()).toISOString();
  await teller.pass(10_000, 1_000);
  await teller.until(async () => (await rowOf(teller, 'List'))?.refusals[0]?.count === 3);
  expect((await rowOf(teller, 'List'))?.refusals).toMatchObject([
    { code: 'v2-signature', count: 3, lastAt, senders: expect.arrayContaining(['127.0.0.1', '127.0.0.2']) },
  ]);
});

test('an hour has a row for each of 200 senders with a code, of which 20 are from one sender, and one row for all others; a listed site keeps its name', async () => {
  const teller = await refusing();
  for (let n = 0; n < 25; n++) await guess(teller, `x${n}`, '127.0.1.1');
  for (let n = 0; n < 190; n++) await guess(teller, 'Unlisted.com', `127.0.2.${n}`);
  for (let n = 0; n < 25; n++) await guess(teller, 'Real-List.com', `127.0.3.${n}`);
  await scan(teller);
  await teller.pass(10_000, 1_000);
  let rows: readonly Row[] = [];
  const sum = () => rows.flatMap(({ refusals }) => refusals).reduce((all, { count }) => all + count, 0);
  await teller.until(async () => {
    rows = (await teller.run('sites', '--json')).json;
    return sum() === 240;
  });
  const of = (service: string | null) => rows.find((row) => row.service === service)?.refusals[0];
  expect(rows.filter(({ service }) => service?.startsWith('x'))).toHaveLength(20);
  expect(of('Unlisted.com')).toMatchObject({ count: 180, senders: { length: 180 } });
  expect(of(null)).toMatchObject({ count: 15, senders: ['(others)'] });
  expect(of('Real-List.com')).toMatchObject({ count: 25, senders: { length: 21 } });
  expect(rows.find(({ service }) => service === null)?.noise).toEqual([{ code: 'http', count: 1 }]);
  // There is room for new senders in the next hour.
  teller.clock.advance(3_600_000);
  await guess(teller, 'Later.com', '127.0.4.1');
  await teller.until(async () => (await rowOf(teller, 'Later.com')) !== undefined);
});

test('a stranger’s service name is kept as it was received, up to 128 characters, and is logged escaped', async () => {
  const teller = await refusing();
  await guess(teller, 'a\n\u001b[31m"名');
  await guess(teller, 'x'.repeat(200));
  expect(shownLines(teller)[0]?.sentence).toContain('(“a\\n\\u001b[31m"名”)');
  await teller.pass(10_000, 1_000);
  for (const service of ['a\n\u001b[31m"名', `${'x'.repeat(128)}…`])
    expect((await rowOf(teller, service))?.refusals).toMatchObject([{ code: 'v2-signature', count: 1 }]);
});

test('counts that cannot be stored are kept, and stored later, at the latest when Teller stops', async () => {
  const teller = await refusing();
  const moveBack = moveLedgerAway(teller);
  await guess(teller, 'List');
  await teller.until(() => teller.log.some(({ code }) => code === 'refusals-not-stored'));
  expect(teller.log.find(({ code }) => code === 'refusals-not-stored')?.level).toBe('warn');
  await guess(teller, 'List');
  await teller.pass(10_000, 1_000);
  moveBack();
  await teller.stop();
  expect((await rowOf(teller, 'List'))?.refusals).toMatchObject([{ code: 'v2-signature', count: 2 }]);
});

test('an IPv6 /64 is one sender: it has at most 20 rows of its own for the names that it invents', async () => {
  const proxied = { proxyProtocol: 'required', trustedProxies: ['127.0.0.1/32'] };
  const teller = await refusing({ listener: { host: '127.0.0.1', port: 0, ...proxied } });
  for (let n = 0; n < 25; n++) {
    const before = `PROXY TCP6 2001:db8::${n + 1} ::1 1 2\r\n`;
    const vote = { player: 'Steve', site: `x${n}`, token: WRONG, before };
    expect(await teller.vote(vote)).toBe('InvalidSignature');
  }
  await teller.pass(10_000, 1_000);
  await teller.until(async () => (await rowOf(teller, null))?.refusals[0]?.count === 5);
  const { json } = await teller.run('sites', '--json');
  expect(json.filter(({ service }: Row) => service?.startsWith('x'))).toHaveLength(20);
});

test('a refusal is kept for 30 days, to the hour', async () => {
  const teller = await refusing();
  const kept = () => {
    const file = new Sqlite(ledgerFileOf(teller), { readonly: true });
    const services = file.prepare('SELECT DISTINCT service FROM refusals ORDER BY 1').pluck().all();
    file.close();
    return services.join();
  };
  await guess(teller, 'A');
  await teller.until(() => kept() === 'A');
  teller.clock.advance(30 * 24 * 3_600_000);
  await guess(teller, 'B');
  await teller.until(() => kept() === 'A,B');
  teller.clock.advance(3_600_000);
  await guess(teller, 'C');
  await teller.until(() => kept() === 'B,C');
});
