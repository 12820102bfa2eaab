import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { askPractice, findPractice } from '../../src/operator/practice-control.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { practiceAddressFile, writePracticeAddress } from '../../src/practice/address-file.ts';
import { controlRequest } from '../../src/practice/control.ts';
import { configFolder } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PASSWORD, practice } from '../support/rcon.ts';

const TWO = { rewards: [], gameServers: { a: { kind: 'practice' }, b: { kind: 'practice' } } };
const NONE = { gameServers: { real: { kind: 'rcon', host: 'localhost', port: 25575, password: PASSWORD } } };

test.each([
  ['none is configured', NONE, undefined, { kind: 'none-configured' }],
  ['there are two and none is named', TWO, undefined, { kind: 'not-named', servers: ['a', 'b'] }],
  ['the name is unknown', TWO, 'c', { kind: 'not-named', servers: ['a', 'b'] }],
])('finds no practice server if %s', async (_, overrides, wanted, found) => {
  const config = await loadConfig(configFolder(overrides).config);
  expect(await findPractice(config, wanted)).toEqual(found);
});

test('finds the only running practice server by the file that it keeps while it runs', async () => {
  const folder = temporaryFolder();
  const config = { ...(await loadConfig(configFolder().config)), ledger: `${folder}/teller.db` };
  const addressFile = practiceAddressFile(folder, 'main');
  expect(await findPractice(config, undefined)).toEqual({ kind: 'not-running', addressFile });
  const address = { host: '127.0.0.1', port: 25575, password: PASSWORD };
  await writePracticeAddress(folder, 'main', address);
  expect(await findPractice(config, undefined)).toEqual({ kind: 'found', address });
});

test('returns the server’s answer or refusal, or that it was unreachable', async () => {
  const { host, port, close } = await practice();
  const ask = (request: string) => askPractice({ host, port, password: PASSWORD }, request, systemClock);
  expect(await ask(controlRequest.join('*Steve'))).toMatchObject({ kind: 'answered' });
  expect(await ask(controlRequest.players())).toEqual({
    kind: 'answered',
    text: expect.stringMatching(/^\[\{"player":"\*Steve","uuid":"[0-9a-f-]{36}"\}\]$/),
  });
  expect(await ask(controlRequest.leave('Alex'))).toMatchObject({ kind: 'refused' });
  await close();
  expect(await ask(controlRequest.players())).toEqual({ kind: 'unreachable', reason: 'unreachable' });
});
