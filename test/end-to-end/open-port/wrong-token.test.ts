import { expect, test } from 'vitest';
import { TOKEN } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { teller } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { expectServed, expectSummedUp, messagesOf, openPort, refusalCounts, repeat } from './fixture.ts';

const SITE = '127.68.0.1';
const FROM = ['127.0.0.1', SITE];
const SITES = {
  sites: {
    default: { token: TOKEN },
    List: {},
    'My-List.com': { token: 'the-token-of-my-list-dot-com-itself' },
  },
};

async function guess(port: number, from: string, serviceName: string): Promise<string> {
  const client = await VotifierClient.greeted(port, from);
  client.write(
    await client.frame({ serviceName, username: 'Unpaid' }, 'a-token-that-was-pasted-from-elsewhere'),
  );
  return client.untilClosed();
}

const REFUSED =
  '{"status":"error","cause":"InvalidSignature","error":"Signature is not valid (invalid token?)"}\r\n';

test('a listed site with a wrong token gets an answer that says so; the log says once which token to paste, then counts', {
  timeout: 60_000,
}, async () => {
  const target = await openPort(SITES);
  const answers = new Set<string>();
  await target.genuine.during(
    FROM,
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

  const args = ['--config', target.config];
  const [sites, check] = await Promise.all([
    teller(['sites', ...args], target.folder),
    teller(['check', '--json', ...args], target.folder),
  ]);
  expect(sites.out.split('\n')).toContainEqual(naming('My-List.com', '300 times'));
  expect(sites.out.split('\n')).toContainEqual(naming(SITE, /token/, '`teller keys`', '[v2-signature]'));
  const findings: { code: string; mark: string; sentence: string; toDo: string }[] = JSON.parse(check.out);
  expect(findings.filter(({ code }) => code === 'refusals')).toMatchObject([
    {
      mark: 'warning',
      sentence: naming(SITE, 'My-List.com', 'wrong token', 'v2-signature'),
      toDo: naming('`teller keys`'),
    },
  ]);
  await expectServed(target);
});
