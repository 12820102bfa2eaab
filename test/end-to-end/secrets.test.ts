/** What nobody else may read: secrets in whatever Teller says, and the files that it makes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apart, typedApart } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { furnish } from '../kit/place.ts';
import { payload, post, signature } from '../kit/webhook.ts';
import { openToOthersIn, temporaryFolder } from '../support/folder.ts';
import { startTeller, teller } from '../support/processes.ts';

const SECRETS = {
  token: 'tok-7f3c1b526a774c1e9d5e0b7a',
  rcon: 'rcon-2b9d44c1a0e84f7fb3',
  api: 'vl_4e8aPq0Zk3XyTb7Wd1Rn5Uc9Ls2Hv6Mj',
  webhook: 'whsec_9c2e5f7a1d3b4868ae0c',
  alarms: 'hook-8d1f0b6c2e9a4753',
  alarmsSecret: 'alsec_5b7d9f1a3c5e7f90',
  events: 'hook-1c3e5a7092b4d6f8',
  eventsSecret: 'evsec_0f9e8d7c6b5a4938',
} as const;

const EVENTS = ['vote.rewarded', 'vote.refused', 'health'];
const COMMANDS = [
  ...['explain Steve', 'votes', 'grants', 'sites', 'check', 'config explain', 'config check'],
  ...['preview Steve', 'alarms', 'alarms test'],
];

test('no secret of the config appears in the log, an answer or the output of a command, whatever fails (rule 10)', {
  timeout: 90_000,
}, async () => {
  // The game server expects another password, and nothing listens at the URLs: each secret fails somewhere.
  const nowhere = (path: string): string => `http://127.0.0.1:9/${path}`;
  const place = furnish(temporaryFolder(), {
    sites: {
      default: { token: SECRETS.token },
      List: {
        api: { baseUrl: nowhere('api/v1'), token: SECRETS.api },
        webhook: { path: '/hooks/list', secret: SECRETS.webhook, listingId: 'listing-1' },
      },
    },
    webhook: { host: '127.0.0.1', port: 0 },
    gameServers: { main: { ...(await rconGame()).entry, password: SECRETS.rcon } },
    alarms: { url: nowhere(SECRETS.alarms), secret: SECRETS.alarmsSecret },
    events: [{ ...{ url: nowhere(SECRETS.events), secret: SECRETS.eventsSecret }, on: EVENTS }],
    log: { level: 'debug' },
  });
  const running = await apart(place);
  const webhookPort = running.ready.webhook?.port ?? 0;
  const posted = async (body: string, secret: string): Promise<string> => {
    const { status, text } = await post({ webhookPort }, body, { signed: signature(body, secret) });
    return `${status} ${text}`;
  };
  const answers = [
    await running.vote({ player: 'Steve', token: SECRETS.token }),
    await running.vote({ player: 'Steve', token: 'wrong' }),
    await posted(payload(), SECRETS.webhook),
    await posted(payload(), 'wrong'),
    await posted('not json', SECRETS.webhook),
  ];
  const codes = answers.map((answer) => answer.split(' ')[0]);
  expect(codes).toEqual(['ok', 'InvalidSignature', '200', '401', '400']);
  await running.until(async () => running.log().includes('password'));

  const printed: string[] = [];
  for (const words of COMMANDS) {
    const { out, err } = await typedApart(place, words.split(' '));
    printed.push(out, err);
  }
  await running.stop();
  const data = readdirSync(join(place.folder, 'data'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(place.folder, 'data', name), 'latin1'));
  const everything = [running.log(), ...answers, ...printed, ...data].join('\n');
  for (const secret of Object.values(SECRETS)) expect(everything).not.toContain(secret);
});

/** What others may read. */
const OPEN = ['config.json', 'config.schema.json', 'data/keys/public.key'];

test('other users have no right to what Teller makes, except config, schema and public key, also when the -wal is made again', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const place = { folder, config: join(folder, 'config.json') };
  const ledger = join(folder, 'data/teller.db');
  // The first config has fixed ports, so the first start, which makes the files, ends at an unusable ledger.
  mkdirSync(ledger, { recursive: true, mode: 0o700 });
  expect((await teller(['run'], folder)).code).toBe(1);
  rmSync(ledger, { recursive: true });
  writeFileSync(place.config, readFileSync(place.config, 'utf8').replaceAll(/"port": \d+/g, '"port": 0'));
  const token = readFileSync(join(folder, 'data/secrets/default.token'), 'utf8').trim();
  for (const _ of [1, 2]) {
    const running = await apart(place);
    expect(await running.vote({ player: 'Alex', token })).toBe('ok');
    await running.until(async () => existsSync(`${ledger}.mark`));
    expect(['-wal', '-shm', '.lock'].filter((end) => !existsSync(ledger + end))).toEqual([]);
    expect(openToOthersIn(folder)).toEqual(OPEN);
    await running.stop();
    expect(existsSync(`${ledger}-wal`)).toBe(false);
  }
});

test('nor to the database of the listing service and the passwords of its sample accounts', {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  await startTeller(['loop', '--port', '0', '--listener-port', '0', '--console-port', '0'], folder);
  expect(readdirSync(join(folder, 'data/loop/data'))).toContain('listing.db-wal');
  expect(openToOthersIn(join(folder, 'data/loop'))).toEqual(OPEN);
});
