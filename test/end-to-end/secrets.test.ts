import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { startPracticeServer } from '../../src/practice/server.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder } from '../support/config-folder.ts';
import { silentLog } from '../support/log.ts';
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

test('no secret of the config appears in the log, an answer or the output of a command, whatever fails (rule 10)', {
  timeout: 90_000,
}, async () => {
  // The game server expects another password, and nothing listens at the API: each secret fails somewhere.
  const practice = await startPracticeServer({
    ...{ clock: systemClock, random: systemRandom, log: silentLog },
    password: 'another-password',
  });
  const { config, folder } = configFolder({
    sites: {
      default: { token: SECRETS.token },
      'My-List.com': {
        api: { baseUrl: 'http://127.0.0.1:9/api/v1', token: SECRETS.api },
        webhook: { path: '/votes', secret: SECRETS.webhook, listingId: 'a' },
      },
    },
    webhook: { host: '127.0.0.1', port: 0 },
    gameServers: { main: { kind: 'rcon', host: practice.host, port: practice.port, password: SECRETS.rcon } },
    // Nothing listens there.
    alarms: { url: `http://127.0.0.1:9/hooks/${SECRETS.alarms}`, secret: SECRETS.alarmsSecret },
    events: [
      {
        url: `http://127.0.0.1:9/hooks/${SECRETS.events}`,
        on: ['vote.rewarded', 'vote.refused', 'health'],
        secret: SECRETS.eventsSecret,
      },
    ],
    log: { level: 'debug' },
  });
  const { ready, log, stop } = await startTeller(['run', '--config', config], folder);
  const answers: string[] = [];
  const send = async (token: string, serviceName = 'My-List.com') => {
    const wire = { serviceName, username: 'Steve', address: '', timestamp: String(Date.now()) };
    const to = { host: '127.0.0.1', port: ready.listener.port, auth: { version: 'v2', token } } as const;
    answers.push(JSON.stringify(await sendVote(wire, to, { clock: systemClock })));
  };
  const post = async (secret: string, body: Uint8Array) => {
    const { port } = (ready as unknown as { webhook: { port: number } }).webhook;
    const headers = { [SIGNATURE_HEADER]: signBody(body, secret), 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/votes`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    answers.push(`${answer.status} ${await answer.text()}`);
  };
  const votedAt = Date.now();
  const body = encodeVotePayload(
    {
      ...{ eventId: 'e-1', listingId: 'a', userId: 'u', weight: 1, game: 'minecraft', playerName: 'Alex' },
      ...{ votedAt, nextVoteAt: votedAt + 86_400_000 },
    },
    votedAt,
  );
  await send(SECRETS.token);
  await send('wrong');
  await post(SECRETS.webhook, body);
  await post('wrong', body);
  await post(SECRETS.webhook, Buffer.from('not json'));
  expect(answers.map((line) => /"code":"([\w-]+)"|^(\d+)/.exec(line)?.slice(1).find(Boolean))).toEqual([
    ...['accepted', 'wrong-token', '200', '401', '400'],
  ]);
  await expect.poll(log, { timeout: 10_000 }).toContain('password');

  const printed: string[] = [];
  const commands = [
    'explain Steve',
    'votes',
    'grants',
    'sites',
    'check',
    'config explain',
    'config check',
    'preview Steve',
    'alarms',
    'alarms test',
  ];
  for (const words of commands) {
    const named = words.startsWith('config') ? [] : ['--config', config];
    const { out, err } = await teller([...words.split(' '), ...named], folder);
    printed.push(out, err);
  }
  await stop();
  await practice.close();
  const data = readdirSync(join(folder, 'data'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, 'data', name), 'latin1'));
  const everything = [log(), ...answers, ...printed, ...data].join('\n');
  for (const secret of Object.values(SECRETS)) expect(everything).not.toContain(secret);
  expect(statSync(join(folder, 'data/keys/private.key')).mode & 0o777).toBe(0o600);
});
