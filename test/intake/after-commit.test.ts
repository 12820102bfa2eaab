import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKeyPair } from '../../src/config/keys.ts';
import { NO_OBSERVER, type Observer } from '../../src/core/observer.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { runningApp } from '../support/running-app.ts';

const fail = (): never => {
  throw new TypeError('a bug');
};

test.each(['v1', 'v2'] as const)(
  'a vote by %s is stored once, answered and paid, although the figures and the log line after it fail',
  async (version) => {
    const observer: Observer = { ...NO_OBSERVER, recorded: fail, answered: fail };
    const { log, lines } = loggedLines();
    const failing = {
      ...log,
      info: (fields: object, sentence: string) => ('vote' in fields ? fail() : log.info(fields, sentence)),
    };
    const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
    const { app, look, folder } = await runningApp(systemClock, { rewards }, failing, observer);
    const { publicKey } = await readKeyPair(join(folder, 'data/keys'));
    const auth: Auth = version === 'v1' ? { version, publicKey } : { version, token: TOKEN };
    const send = (username: string) =>
      sendVote(
        { serviceName: 'List', username, address: '192.0.2.1', timestamp: String(systemClock.now()) },
        { ...app.listener, auth },
        { clock: systemClock },
      );

    expect((await send('Steve')).code).toBe(version === 'v1' ? 'sent' : 'accepted');
    expect((await send('Alex')).code).toBe(version === 'v1' ? 'sent' : 'accepted');

    const delivered = async () =>
      (await look.grants({ limit: 9 })).filter(({ state }) => state === 'delivered');
    await expect.poll(delivered, { timeout: 10_000 }).toHaveLength(2);
    await app.close();
    expect(await look.votes({ limit: 9 })).toHaveLength(2);
    const bugs = lines
      .filter(({ code }) => code === 'bug')
      .map(({ fields }) => (fields as { after?: string }).after);
    expect(bugs.toSorted()).toEqual(['answered', 'figures', 'log']);
  },
);
