/** `teller run`: its first start, what it prints when it is ready, and why it does not start. */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { listingApi, record } from '../kit/listing-api.ts';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { serve } from '../kit/serve.ts';
import { type Service, service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const SILENT = { log: { level: 'silent' } };

const place = (more: object = {}, files: Readonly<Record<string, string>> = {}): Place =>
  furnish(temporaryFolder(files), more);

const run = ({ config }: Pick<Place, 'config'>, ...flags: string[]): Promise<Service> =>
  service(['run', '--config', config, ...flags]);

/** Starts it, and stops it as soon as it is ready. */
async function startAndStop(one: Pick<Place, 'config'>, ...flags: string[]) {
  const running = await run(one, ...flags);
  const exit = await running.stop();
  return { ...running, exit, err: running.err.join('\n') };
}

/** A start is refused in one sentence with its code, without a stack trace. @returns the sentence. */
async function refusal(one: Pick<Place, 'config'>, code: string, exit: 1 | 2, ...flags: string[]) {
  const ran = await startAndStop(one, ...flags);
  expect(ran.err).toContain(`[${code}]`);
  expect(ran.err).not.toMatch(/\n\s+at /);
  expect([ran.exit, ran.out]).toEqual([exit, []]);
  return ran.err;
}

test('a Teller that is ready prints one line on standard output, whatever the log level', async () => {
  const { exit, out, err } = await startAndStop(place(SILENT));
  expect(out.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ msg: 'ready', practice: true },
      listener: { host: '127.0.0.1', port: expect.any(Number) },
      practiceServer: { host: '127.0.0.1', port: expect.any(Number) },
    },
  ]);
  expect([exit, err]).toEqual([0, '']);
});

test('a Teller that is ready says what is paused, since when and by whom; a pause survives restarts', async () => {
  const one = place(SILENT);
  await startAndStop(one);
  await typed(['pause'], one.config, new FakeClock('2026-06-01T12:00:00Z'));
  const by = userInfo().username;
  for (const _ of [1, 2])
    expect((await startAndStop(one)).ready.paused).toEqual([
      { server: null, reward: null, at: '2026-06-01T12:00:00.000Z', by },
    ]);
});

test('a Teller that is ready says, with a warning, that nothing is paid in shadow, and from when votes are paid', async () => {
  const one = place({ pay: { mode: 'shadow' } });
  const { ready, err } = await startAndStop(one, '--format', 'json');
  expect(ready.pay).toBe('shadow');
  expect(err).toContain('"code":"shadow"');
  rewrite(one, { ...SILENT, pay: { from: '2026-12-01T18:00Z' } });
  expect((await startAndStop(one)).ready.payFrom).toBe('2026-12-01T18:00:00.000Z');
});

test('a Teller that is ready keeps running with a wrong password or an unreachable game server', async () => {
  const away = { kind: 'rcon', host: '127.0.0.1', port: await takenPort(), password: 'wrong' };
  const { exit, ready } = await startAndStop(place({ gameServers: { main: away } }));
  expect([exit, ready.practice]).toEqual([0, false]);
});

test('a Teller that is ready with a practice clock stays as it is when a reload adds a real game server', async () => {
  const one = place();
  await run(one, '--practice-clock');
  rewrite(one, { gameServers: { main: (await rconGame()).entry } });
  expect((await typed(['reload', '--json'], one.config)).json).toMatchObject([
    { reply: { kind: 'refused', code: 'practice-clock-refused' } },
  ]);
});

async function takenPort(): Promise<number> {
  return serve(createServer());
}

const LISTENER = { host: '127.0.0.1', port: 0 };

test('a start is refused if the port is in use, with the likely program; if the data folder cannot be created; without its config; for an unknown log format; and for several faults of its config, each with what was perhaps meant', async () => {
  const port = await takenPort();
  const said = await refusal(place({ listener: { ...LISTENER, port } }), 'port-in-use', 1);
  for (const part of [`127.0.0.1:${port}`, 'Votifier', 'listener.port']) expect(said).toContain(part);
  await refusal(place({ ledger: 'a-file/teller.db' }, { 'a-file': '' }), 'data-unwritable', 1);
  await refusal({ config: join(temporaryFolder(), 'mine.json') }, 'config-missing', 2);
  await refusal(place(), 'usage', 2, '--format', 'yaml');
  const faulty = place({ listner: {}, rewards: [{ name: 'x', commands: ['give {palyer} dirt'] }] });
  const faults = await refusal(faulty, 'config-unknown-key', 2);
  for (const part of ['listener', '{player}']) expect(faults).toContain(part);
});

/** A Teller that never started: without tokens and keys. */
function neverStarted(more: object = {}): Place {
  const sites = {
    default: { token: 'file:data/secrets/default.token' },
    'My List': { token: 'file:its.token' },
  };
  const one = place({ sites, ...more });
  rmSync(join(one.folder, 'data'), { recursive: true });
  return one;
}

test('a first start with a config that names files for its tokens creates them and the key pair, as without a config, and says which', async () => {
  const one = neverStarted();
  const { exit, err } = await startAndStop(one);
  expect(exit).toBe(0);
  for (const secret of ['data/keys/private.key', 'data/secrets/default.token', 'its.token']) {
    const file = join(one.folder, secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(err).toContain(file);
    expect(err).not.toContain(readFileSync(file, 'utf8').trim());
  }
  expect(err).toContain('teller keys');
});

test('a first start with a config that names files for its tokens creates none where there is a ledger, and names the command that does', async () => {
  const one = neverStarted();
  await startAndStop(one);
  rmSync(join(one.folder, 'its.token'));
  expect(await refusal(one, 'secret-missing', 2)).toMatch(/`teller keys rotate token 'My List'`/);
  expect(existsSync(join(one.folder, 'its.token'))).toBe(false);
});

test.each([
  ['another secret is missing', { main: { kind: 'rcon', password: 'file:none' } }, 'secret-missing'],
  ['the config has a fault', { main: { kind: 'none' } }, 'config-value'],
])(
  'a first start with a config that names files for its tokens creates no file while %s',
  async (_, gameServers, code) => {
    const one = neverStarted({ gameServers });
    await refusal(one, code, 2);
    expect(readdirSync(one.folder)).toEqual(['config.json']);
  },
);

test('a first start with a config that names files for its tokens puts none in place of a link to a disk that is not mounted', async () => {
  const one = neverStarted();
  const [link, elsewhere] = [join(one.folder, 'its.token'), join(one.folder, 'not-mounted/token')];
  symlinkSync(elsewhere, link);
  await refusal(one, 'secret-missing', 2);
  expect(readlinkSync(link)).toBe(elsewhere);
});

describe('a first start', () => {
  const webhook = { host: '127.0.0.1', port: 0 };
  const decisions = async ({ run: type }: Here): Promise<readonly string[]> =>
    (await type('votes', '--json')).json.map(
      ({ channel, decision }: { channel: string; decision: string }) => `${channel} ${decision}`,
    );
  const setTo = ({ clock }: Here, time: string): void => clock.jump(Date.parse(time) - clock.now());

  test('with a clock hours ahead that is later corrected pays every vote cast in those hours', async () => {
    const sites = { default: { token: TOKEN }, List: hooked() };
    const teller = await here({ sites, webhook }, new FakeClock('2026-06-01T17:00:00Z'));
    setTo(teller, '2026-06-01T12:00:00Z');
    expect(await post(teller, payload())).toMatchObject({ status: 200 });
    expect(await decisions(teller)).toEqual(['webhook rewarded']);
  });

  test('with a clock that starts in 1970 pays votes cast after the start and none from before', async () => {
    const clock = new FakeClock('1970-01-01T00:00:10Z');
    const api = await listingApi(clock);
    api.votes.push(record(1, Date.parse('2026-06-01T03:00:00Z')));
    const sites = { default: { token: TOKEN }, List: api.site({}, hooked()) };
    const teller = await here({ sites, webhook }, clock);
    setTo(teller, '2026-06-01T12:00:00Z');
    await teller.until(async () => (await decisions(teller)).length > 0);
    expect(await decisions(teller)).toEqual(['api before-start']);
    expect(await post(teller, payload())).toMatchObject({ status: 200 });
    expect(await decisions(teller)).toEqual(['webhook rewarded', 'api before-start']);
  });

  /** A Teller with the rewards of a first start, in which Steve is online. */
  async function shipped(): Promise<Here> {
    const { rewards } = JSON.parse(readFileSync(join(ROOT, 'config.example.json'), 'utf8'));
    const main = { kind: 'practice', joinDelay: '0s', presenceInterval: '1s', commandTimeout: '1s' };
    const teller = await here({
      gameServers: { main },
      rewards,
      sites: { default: { token: TOKEN }, A: {}, B: {} },
    });
    await typedHere(teller, 'practice', 'join', 'Steve');
    return teller;
  }
  const paid = async (teller: Here): Promise<readonly string[]> =>
    (await teller.grants()).map(({ reward, state }) => `${reward} ${state}`).toSorted();
  const untilPaid = (teller: Here, ...expected: readonly string[]): Promise<void> =>
    teller.until(
      async () => (await paid(teller)).join() === expected.map((name) => `${name} delivered`).join(),
    );

  test('pays `each-vote` for a vote on each site, and `daily` once a day', async () => {
    const teller = await shipped();
    for (const site of ['A', 'B']) await teller.vote({ player: 'Steve', site });
    await untilPaid(teller, 'daily', 'each-vote', 'each-vote', 'thanks', 'thanks');
    const { json } = await typedHere(teller, 'practice', 'inventory', 'Steve', '--json');
    expect(json).toEqual([{ item: 'diamond', count: 2 }]);
  });

  test('sends its announcement again if the reply was lost, so that nothing is held', async () => {
    const teller = await shipped();
    await typedHere(teller, 'practice', 'fault', 'run-and-close', '--for', '1');
    await teller.vote({ player: 'Steve', site: 'A' });
    await untilPaid(teller, 'daily', 'each-vote', 'thanks');
    const said = teller.log.filter(
      ({ code, fields }) => code === 'practice-command' && /"say /.test(JSON.stringify(fields)),
    );
    expect(said).toHaveLength(2);
  });
});
