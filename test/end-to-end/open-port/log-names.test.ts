import { expect, test } from 'vitest';
import { TOKEN } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { messagesOf, type OpenPort, openPort, repeat, SHORT_DEADLINE, sendBytes } from './fixture.ts';

const SITES = {
  sites: { default: { token: TOKEN }, List: {}, 'My-List.com': {}, 'Other-List.com': {} },
};

async function guess({ port }: OpenPort, from: string, serviceName: string): Promise<void> {
  const client = await VotifierClient.greeted(port, from);
  client.write(await client.frame({ serviceName }, 'a-token-that-was-pasted-from-elsewhere'));
  await client.untilClosed();
}

test('the log names every listed site whose token is wrong', async () => {
  const target = await openPort(SITES);
  await guess(target, '127.70.0.1', 'My-List.com');
  await guess(target, '127.70.0.2', 'Other-List.com');
  await target.stop();
  const messages = messagesOf(target.logLines(), 'v2-signature');
  expect(messages).toContainEqual(naming('127.70.0.1', 'My-List.com'));
  expect(messages).toContainEqual(naming('127.70.0.2', 'Other-List.com'));
});

test('a listed site whose token is wrong is named in the log even if strangers guess tokens for invented names', async () => {
  const target = await openPort(SITES);
  await repeat(50, (index) => guess(target, `127.70.1.${index + 1}`, `Invented-${index}`));
  await guess(target, '127.70.0.1', 'My-List.com');
  await target.stop();
  const messages = messagesOf(target.logLines(), 'v2-signature');
  expect(messages).toContainEqual(naming('127.70.0.1', 'My-List.com'));
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
