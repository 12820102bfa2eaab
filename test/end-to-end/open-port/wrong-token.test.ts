import { expect, test } from 'vitest';
import { TOKEN } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { teller } from '../../support/processes.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { expectServed, expectSummedUp, openPort, refusalCounts, sentencesOf, times } from './scene.ts';

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

test('a listed site with a wrong token is told so, and the operator reads once what to paste, then a count', {
  timeout: 60_000,
}, async () => {
  const place = await openPort(SITES);
  const heard = new Set<string>();
  await place.genuine.during(
    FROM,
    times(300, async () => heard.add(await guess(place.port, SITE, 'My-List.com'))),
  );
  expect([...heard]).toEqual([REFUSED]);
  await place.stop();
  const sentences = new Set(sentencesOf(place.logLines(), 'v2-signature'));
  expect([...sentences]).toEqual([naming(SITE, 'My-List.com', /token/, '`teller keys`')]);
  expect(sentencesOf(place.logLines(), 'refusals')[0]).toEqual(
    naming('10 s', /\b\d+ v2-signature\b/, 'My-List.com'),
  );
  expectSummedUp(place, 300);
  expect(await refusalCounts(place)).toEqual({ 'v2-signature': 300 });

  const args = ['--config', place.config];
  const [sites, check] = await Promise.all([
    teller(['sites', ...args], place.folder),
    teller(['check', '--json', ...args], place.folder),
  ]);
  expect(sites.out.split('\n')).toContainEqual(naming('My-List.com', '300 times'));
  expect(sites.out.split('\n')).toContainEqual(naming(SITE, /token/, '`teller keys`', '[v2-signature]'));
  const findings: { code: string; mark: string; sentence: string }[] = JSON.parse(check.out);
  expect(findings.filter(({ code }) => code === 'refusals')).toMatchObject([
    { mark: 'warning', sentence: naming(SITE, 'My-List.com', '`teller keys`', 'v2-signature') },
  ]);
  await expectServed(place);
});
