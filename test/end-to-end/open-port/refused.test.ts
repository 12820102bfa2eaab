/** What is refused: wrong tokens, junk, and more connections than a process may have files. It is counted, and summed up in the log. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { typedHere } from '../../kit/apart.ts';
import { TOKEN } from '../../kit/vote.ts';
import { naming } from '../../support/naming.ts';
import { compiled } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  configFor,
  expectServed,
  expectSummedUp,
  messagesOf,
  notAboutVotes,
  OK,
  openPort,
  refusalCounts,
  repeat,
  SHORT_DEADLINE,
  sendBytes,
  startTarget,
  votesOf,
} from './fixture.ts';

const SITE = '127.68.0.1';
const SITES = {
  sites: {
    default: { token: TOKEN },
    List: {},
    'My-List.com': { token: 'the-token-of-my-list-dot-com-itself' },
    'Other-List.com': {},
  },
};
const REFUSED =
  '{"status":"error","cause":"InvalidSignature","error":"Signature is not valid (invalid token?)"}\r\n';

/** Sends a vote with a token that nobody has. */
async function guess(port: number, from: string, serviceName: string): Promise<string> {
  const client = await VotifierClient.greeted(port, from);
  const vote = { serviceName, username: 'Unpaid' };
  client.write(await client.frame(vote, 'a-token-that-was-pasted-from-elsewhere'));
  return client.untilClosed();
}

test('a listed site with a wrong token gets an answer that says so; the log says once which token to paste, then counts', {
  timeout: 60_000,
}, async () => {
  const target = await openPort(SITES);
  const answers = new Set<string>();
  await target.genuine.during(
    ['127.0.0.1', SITE],
    repeat(300, async () => answers.add(await guess(target.port, SITE, 'My-List.com'))),
  );
  expect([...answers]).toEqual([REFUSED]);
  await target.stop();
  const messages = new Set(messagesOf(target.logLines(), 'v2-signature'));
  expect([...messages]).toEqual([naming(SITE, 'My-List.com', /token/, '`teller keys`')]);
  expect(messagesOf(target.logLines(), 'refusals')[0]).toEqual(
    naming('10 s', /\b\d+ v2-signature\b/, 'My-List.com'),
  );
  expectSummedUp(target, 300);
  expect(await refusalCounts(target)).toEqual({ 'v2-signature': 300 });

  const sites = (await typedHere(target, 'sites')).out.split('\n');
  expect(sites).toContainEqual(naming('My-List.com', '300 times'));
  expect(sites).toContainEqual(naming(SITE, /token/, '`teller keys`', '[v2-signature]'));
  const { json } = await typedHere(target, 'check', '--json');
  expect(json.filter(({ code }: { code: string }) => code === 'refusals')).toMatchObject([
    {
      mark: 'warning',
      sentence: naming(SITE, 'My-List.com', 'wrong token', 'v2-signature'),
      toDo: naming('`teller keys`'),
    },
  ]);
  await expectServed(target);
});

test('the log names every listed site whose token is wrong, even if strangers guess tokens for invented names', async () => {
  const target = await openPort(SITES);
  await repeat(50, (index) => guess(target.port, `127.70.1.${index + 1}`, `Invented-${index}`));
  await guess(target.port, '127.70.0.1', 'My-List.com');
  await guess(target.port, '127.70.0.2', 'Other-List.com');
  await target.stop();
  const messages = messagesOf(target.logLines(), 'v2-signature');
  expect(messages).toContainEqual(naming('127.70.0.1', 'My-List.com'));
  expect(messages).toContainEqual(naming('127.70.0.2', 'Other-List.com'));
});

test('the log names one sender for every cause in its summary', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const [byHttp, bySsh, bySilence] = ['127.70.2.1', '127.70.2.2', '127.70.2.3'];
  await Promise.all([
    repeat(10, () => sendBytes(target.port, byHttp, 'GET / HTTP/1.1\r\n\r\n'), 10),
    repeat(10, () => sendBytes(target.port, bySsh, 'SSH-2.0-Go\r\n'), 10),
    repeat(10, () => sendBytes(target.port, bySilence, ''), 10),
  ]);
  await target.stop();
  const log = target
    .logLines()
    .map(({ msg }) => msg)
    .join('\n');
  expect([byHttp, bySsh, bySilence].filter((address) => !log.includes(address))).toEqual([]);
});

const SENDERS = 3_000;

function sendJunk(port: number): Promise<unknown> {
  const args = [compiled(join(import.meta.dirname, 'junk-sender.ts')), `${port}`, `${SENDERS}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'message');
}

test('random bytes and guessed tokens from 3,000 addresses leave few log lines and no vote', {
  timeout: 60_000,
}, async () => {
  const target = await openPort();
  await target.genuine.during(['127.0.0.1', '127.69.0.1'], sendJunk(target.port));
  await target.stop();

  expect(await refusalCounts(target)).toMatchObject({ incomplete: 1_000, 'v1-bad-block': 1_000 });
  const lines = notAboutVotes(target.logLines());
  expect(lines.reduce((sum, { refused = 0 }) => sum + refused, 0)).toBe(SENDERS);
  // In each of the few intervals: a line for each cause that an operator can act on, and a summary.
  expect(lines.length).toBeLessThan(20);
  expect(messagesOf(lines, 'v1-bad-block')[0]).toEqual(naming(/public key/, '`teller keys`'));
  expect(messagesOf(lines, 'v2-signature')[0]).toEqual(naming(/token/, '`teller keys`'));
  await expectServed(target);
});

const LIMIT = ['prlimit', '--nofile=224'];
const hasLimit = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!hasLimit)(
  'a process that may have 224 files open accepts genuine votes while 300 idle connections are opened; it logs files-few, as `check` finds while it runs',
  async () => {
    const target = await startTarget(configFor(), '', LIMIT);
    const { port } = target;
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => VotifierClient.open(port, `127.64.0.${(n % 20) + 1}`)),
    );
    const answers: string[] = [];
    for (let n = 0; n < 30; n++) {
      const client = await VotifierClient.greeted(port, '127.65.0.1');
      client.write(await client.frame({ username: `Few_${n}` }));
      answers.push(await client.untilClosed());
    }
    expect(answers).toEqual(Array(30).fill(OK));
    expect((await votesOf(target)).filter(({ player }) => /^Few_/.test(player))).toHaveLength(30);
    expect(messagesOf(target.logLines(), 'files-few')).toHaveLength(1);
    const found = async () => (await typedHere(target, 'check', '--offline', '--json')).json;
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'files-few', mark: 'warning' }));
    await target.stop();
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'files', mark: 'ok' }));
  },
);
