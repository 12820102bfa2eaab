import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { desk } from '../kit/place.ts';

const REWARD = { name: 'r', commands: ['give {player} diamond 1'] };

async function examine(reward: object, server: object = {}) {
  const entries = {
    gameServers: { main: { kind: 'practice', ...server } },
    rewards: [{ ...REWARD, ...reward }],
  };
  return examineText(JSON.stringify(entries), '/etc/teller/config.json');
}

const faultsOf = async (reward: object, server: object = {}) =>
  (await examine(reward, server)).faults.map(({ path, code }) => [path, code]);

/** The grants that a vote of Steve may get, each with its commands. */
async function grantsOf(
  reward: object,
  server: object = {},
): Promise<readonly { commands: readonly string[] }[]> {
  const rewards = [{ ...REWARD, ...reward }];
  const one = desk({ gameServers: { main: { kind: 'practice', ...server } }, rewards });
  return (await one.run('preview', 'Steve', '--json')).json[0].grants;
}

/** The commands that a reward runs, in order. */
const commandsOf = async (reward: object, server: object = {}) =>
  (await grantsOf(reward, server))[0]?.commands;

describe('the messages of a reward', () => {
  test('are commands after its own', async () => {
    const messages = { message: '&aThanks, {player}!', title: '&6Voted', sound: 'ui.button.click' };
    expect(await commandsOf(messages, { version: '1.21.4' })).toEqual([
      'give Steve diamond 1',
      'tellraw Steve {"text":"Thanks, Steve!","color":"green"}',
      'title Steve title {"text":"Voted","color":"gold"}',
      'execute at Steve run playsound ui.button.click master Steve',
    ]);
  });

  test('are enough for a reward, also where a prize, an alternative or nothing is run', async () => {
    expect(await commandsOf({ commands: undefined, message: 'Hi' })).toEqual(['tellraw Steve {"text":"Hi"}']);
    const drawn = { oneOf: [{ commands: ['say a'] }, { commands: ['say b'] }], message: 'Hi' };
    expect((await grantsOf(drawn)).map(({ commands }) => commands)).toEqual(
      ['say a', 'say b'].map((each) => ['give Steve diamond 1', each, 'tellraw Steve {"text":"Hi"}']),
    );
  });

  test('may have line breaks, which stay in one line of JSON', async () => {
    expect(await commandsOf({ commands: undefined, message: 'two\nlines' })).toEqual([
      'tellraw Steve {"text":"two\\nlines"}',
    ]);
  });

  test('are not sent with `otherwise`', async () => {
    const lost = await grantsOf({ if: { chance: '5%' }, otherwise: ['say lost'], message: 'Won!' });
    expect(lost.at(-1)?.commands).toEqual(['say lost']);
  });

  test('need the version of each game server for a sound and for colours such as &#ff8800', async () => {
    const main = 'rewards[0]';
    expect(await faultsOf({ sound: 'ui.button.click' })).toEqual([[`${main}.sound`, 'config-value']]);
    expect(await faultsOf({ sound: 'ui.button.click' }, { version: '1.12.2' })).toHaveLength(1);
    expect(await faultsOf({ sound: 'ui.button.click' }, { version: '1.13' })).toEqual([]);
    expect(await faultsOf({ message: '&#ff8800Hi', title: '&#ff8800Hi' })).toEqual([
      [`${main}.message`, 'config-value'],
      [`${main}.title`, 'config-value'],
    ]);
    expect(await faultsOf({ message: '&#ff8800Hi' }, { version: '1.15.2' })).toHaveLength(1);
    expect(await faultsOf({ message: '&#ff8800Hi' }, { version: '1.16.1' })).toEqual([]);
    expect(await faultsOf({ message: '&aHi &&#ff8800' })).toEqual([]);
  });

  test.each([
    [{ message: '' }, 'message', 'config-value'],
    [{ message: 'bell\u0007' }, 'message', 'config-value'],
    [{ message: '{playr} voted' }, 'message', 'config-template'],
    [{ message: 'x'.repeat(1_400) }, 'message', 'config-template'],
    [{ title: 7 }, 'title', 'config-value'],
    [{ sound: 'Not A Sound' }, 'sound', 'config-value'],
  ])('%j is refused at its key', async (reward, key, code) => {
    expect(await faultsOf(reward, { version: '1.21.4' })).toEqual([[`rewards[0].${key}`, code]]);
  });

  test('of 1,446 bytes with the longest names are accepted, and one byte more is refused', async () => {
    const around = Buffer.byteLength(`tellraw {player} {"text":""}`) - '{player}'.length + 27;
    const fits = 'x'.repeat(1_446 - around);
    expect(await faultsOf({ message: fits })).toEqual([]);
    expect(await faultsOf({ message: `${fits}x` })).toEqual([['rewards[0].message', 'config-template']]);
  });

  test('refuses a version that is none', async () => {
    expect(await faultsOf({}, { version: 'latest' })).toEqual([['gameServers.main.version', 'config-value']]);
  });
});

describe('announcements of a reward', () => {
  const announcementOf = async (reward: object) => (await examine(reward)).config?.rewards[0]?.announcement;

  test('are its broadcast, which comes last, or everything', async () => {
    expect(await announcementOf({ message: 'Hi' })).toBeNull();
    expect(await announcementOf({ broadcast: '{player} voted' })).toEqual({
      ...{ isWhole: false, atMost: null },
    });
    const all = { announce: true, atMost: { count: 3, within: '10m' } };
    expect(await announcementOf(all)).toEqual({
      ...{ isWhole: true, atMost: { count: 3, withinMs: 600_000 } },
    });
    expect(await commandsOf({ broadcast: '&a{player} voted', title: 'Hi' })).toEqual([
      'give Steve diamond 1',
      'title Steve title {"text":"Hi"}',
      'tellraw @a {"text":"Steve voted","color":"green"}',
    ]);
  });

  test('expire after two minutes if they are everything, also with another `expiresAfter`', async () => {
    const expiryOf = async (reward: object) =>
      (await examine(reward)).config?.rewards[0]?.terms?.expiresAfterMs ?? null;
    expect(await expiryOf({ announce: true })).toBe(120_000);
    expect(await expiryOf({ announce: true, expiresAfter: '7d' })).toBe(120_000);
    expect(await expiryOf({ announce: true, expiresAfter: '1m' })).toBe(60_000);
    expect(await expiryOf({ broadcast: 'Hi' })).toBeNull();
  });

  test.each([
    [{ atMost: { count: 1, within: '1m' } }, 'atMost'],
    [{ announce: true, safeToRunTwice: true }, 'safeToRunTwice'],
    [{ broadcast: '&#ff8800Hi' }, 'broadcast'],
    [{ announce: true, atMost: { count: 0, within: '1m' } }, 'atMost.count'],
  ])('%j is refused at its key', async (reward, key) => {
    expect(await faultsOf(reward)).toEqual([[`rewards[0].${key}`, 'config-value']]);
  });

  test('need no game server that can report who is online', async () => {
    const silent = { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'a-secret-of-this-server' };
    expect(await faultsOf({ when: 'always', broadcast: 'Hi' }, silent)).toEqual([]);
    expect(await faultsOf({ when: 'always', announce: true }, silent)).toEqual([]);
  });
});
