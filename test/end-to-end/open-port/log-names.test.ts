import { expect, test } from 'vitest';
import { TOKEN } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import { knock, type OpenPort, openPort, SHORT_DEADLINE, sentencesOf, times } from './scene.ts';

const SITES = {
  sites: { default: { token: TOKEN }, List: {}, 'My-List.com': {}, 'Other-List.com': {} },
};

async function guess({ port }: OpenPort, from: string, serviceName: string): Promise<void> {
  const client = await VotifierClient.greeted(port, from);
  client.write(await client.frame({ serviceName }, 'a-token-that-was-pasted-from-elsewhere'));
  await client.untilClosed();
}

test('the log names every listed site whose token is wrong', async () => {
  const place = await openPort(SITES);
  await guess(place, '127.70.0.1', 'My-List.com');
  await guess(place, '127.70.0.2', 'Other-List.com');
  await place.stop();
  const sentences = sentencesOf(place.logLines(), 'v2-signature');
  expect(sentences).toContainEqual(naming('127.70.0.1', 'My-List.com'));
  expect(sentences).toContainEqual(naming('127.70.0.2', 'Other-List.com'));
});

test('a listed site whose token is wrong is named in the log while strangers guess tokens for names of their own', async () => {
  const place = await openPort(SITES);
  await times(50, (index) => guess(place, `127.70.1.${index + 1}`, `Invented-${index}`));
  await guess(place, '127.70.0.1', 'My-List.com');
  await place.stop();
  const sentences = sentencesOf(place.logLines(), 'v2-signature');
  expect(sentences).toContainEqual(naming('127.70.0.1', 'My-List.com'));
});

test('every cause that the log sums up has an example of who it was', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const [byHttp, bySsh, bySilence] = ['127.70.2.1', '127.70.2.2', '127.70.2.3'];
  await Promise.all([
    times(10, () => knock(place.port, byHttp, 'GET / HTTP/1.1\r\n\r\n'), 10),
    times(10, () => knock(place.port, bySsh, 'SSH-2.0-Go\r\n'), 10),
    times(10, () => knock(place.port, bySilence, ''), 10),
  ]);
  await place.stop();
  const log = place
    .logLines()
    .map(({ msg }) => msg)
    .join('\n');
  expect([byHttp, bySsh, bySilence].filter((address) => !log.includes(address))).toEqual([]);
});
