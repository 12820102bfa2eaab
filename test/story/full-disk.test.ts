import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readPublicKey } from '../../protocol/votifier/key-text.ts';
import { startApp, surroundings } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ledgerSchema } from '../../src/ledger/schema.ts';
import { sqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { keptLog } from '../support/log.ts';

const V2: Auth = { version: 'v2', token: TOKEN };

/** A Teller whose ledger's size the test can limit, as a full disk does. */
async function scene() {
  const { folder, config, ledger } = configFolder();
  const { log, codes } = keptLog();
  const around = surroundings(systemClock, systemDice, log);
  let database: Database | null = null;
  const app = await startApp(await loadConfig(config), {
    ...around,
    openLedger: (file) => {
      database = openDatabase(file, ledgerSchema, 'create');
      return sqliteLedger(database, systemClock);
    },
  });
  onTestFinished(() => app.close());
  const pages = (limit: string) => {
    const used = database?.pragma('page_count', { simple: true });
    database?.pragma(`max_page_count = ${limit === 'full' ? used : limit}`);
  };
  const send = (username: string, auth: Auth) =>
    sendVote(
      { serviceName: 'L'.repeat(128), username, address: '', timestamp: String(systemClock.now()) },
      { ...app.listener, auth },
      { clock: systemClock },
    );
  const key = readPublicKey(readFileSync(join(folder, 'data/keys/public.key'), 'utf8'));
  const v1: Auth = { version: 'v1', publicKey: key.kind === 'key' ? key.key : (undefined as never) };
  return { look: lookInto(ledger), codes, pages, send, v1 };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** What is free inside the file still takes some votes; then comes the first that it cannot take. */
async function sendUntilRefused({ send }: Scene): Promise<{ answer: object; accepted: number }> {
  for (let n = 0; ; n++) {
    const answer = await send(`Player${n}`, V2);
    if (answer.kind !== 'accepted') return { answer, accepted: n };
  }
}

test('on a full disk v2 senders hear an error and never ok, and every vote answered ok is there', async () => {
  const here = await scene();
  here.pages('full');
  const { answer, accepted } = await sendUntilRefused(here);
  expect(answer).toMatchObject({ kind: 'failed', code: 'error-reply', reached: 'no' });
  expect(here.codes).toContain('ledger-full');
  expect(await here.look.votes({ limit: 999 })).toHaveLength(accepted);

  here.pages('1000000');
  expect(await here.send('Latecomer', V2)).toMatchObject({ kind: 'accepted' });
});

test('a v1 vote that meets a full disk is kept and stored when there is room again', async () => {
  const here = await scene();
  here.pages('full');
  const { accepted } = await sendUntilRefused(here);
  await here.send('Oldie', here.v1);
  expect(await here.look.votes({ limit: 999 })).toHaveLength(accepted);

  here.pages('1000000');
  await expect
    .poll(() => here.look.votes({ recipient: 'oldie', limit: 9 }), { timeout: 5_000 })
    .toMatchObject(
      [{ player: 'Oldie', channel: 'listener-v1', decision: 'cooldown' }].map(
        ({ decision: _, ...vote }) => vote,
      ),
    );
});
