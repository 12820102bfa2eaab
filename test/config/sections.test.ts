import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { desk } from '../kit/place.ts';
import { examined, faultsOf } from './examined.ts';

const REWARD = { name: 'r', commands: ['give {player} diamond 1'] };

const examine = (reward: object, server: object = {}) =>
  examined({
    gameServers: { main: { kind: 'practice', ...server } },
    rewards: [{ ...REWARD, ...reward }],
  });

const faultsWith = async (reward: object, server: object = {}) =>
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
    expect(await faultsWith({ sound: 'ui.button.click' })).toEqual([[`${main}.sound`, 'config-value']]);
    expect(await faultsWith({ sound: 'ui.button.click' }, { version: '1.12.2' })).toHaveLength(1);
    expect(await faultsWith({ sound: 'ui.button.click' }, { version: '1.13' })).toEqual([]);
    expect(await faultsWith({ message: '&#ff8800Hi', title: '&#ff8800Hi' })).toEqual([
      [`${main}.message`, 'config-value'],
      [`${main}.title`, 'config-value'],
    ]);
    expect(await faultsWith({ message: '&#ff8800Hi' }, { version: '1.15.2' })).toHaveLength(1);
    expect(await faultsWith({ message: '&#ff8800Hi' }, { version: '1.16.1' })).toEqual([]);
    expect(await faultsWith({ message: '&aHi &&#ff8800' })).toEqual([]);
  });

  test.each([
    [{ message: '' }, 'message', 'config-value'],
    [{ message: 'bell\u0007' }, 'message', 'config-value'],
    [{ message: '{playr} voted' }, 'message', 'config-template'],
    [{ message: 'x'.repeat(1_400) }, 'message', 'config-template'],
    [{ title: 7 }, 'title', 'config-value'],
    [{ sound: 'Not A Sound' }, 'sound', 'config-value'],
  ])('%j is refused at its key', async (reward, key, code) => {
    expect(await faultsWith(reward, { version: '1.21.4' })).toEqual([[`rewards[0].${key}`, code]]);
  });

  test('of 1,446 bytes with the longest names are accepted, and one byte more is refused', async () => {
    const around = Buffer.byteLength(`tellraw {player} {"text":""}`) - '{player}'.length + 27;
    const fits = 'x'.repeat(1_446 - around);
    expect(await faultsWith({ message: fits })).toEqual([]);
    expect(await faultsWith({ message: `${fits}x` })).toEqual([['rewards[0].message', 'config-template']]);
  });

  test('refuses a version that is none', async () => {
    expect(await faultsWith({}, { version: 'latest' })).toEqual([
      ['gameServers.main.version', 'config-value'],
    ]);
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
    expect(await faultsWith(reward)).toEqual([[`rewards[0].${key}`, 'config-value']]);
  });

  test('need no game server that can report who is online', async () => {
    const silent = { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'a-secret-of-this-server' };
    expect(await faultsWith({ when: 'always', broadcast: 'Hi' }, silent)).toEqual([]);
    expect(await faultsWith({ when: 'always', announce: true }, silent)).toEqual([]);
  });
});

const HTTP = { posted: { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'first-http-secret' } };
const PARTY = { name: 'all', every: 50, commands: ['give {player} cake 1'] };

const partyFaults = (change: object, more: object = {}) =>
  faultsOf({ party: [{ ...PARTY, ...change }], ...more });

describe('a party', () => {
  test('needs no more than a name, how many votes it takes, and commands', async () => {
    const { config } = await examined({ party: [PARTY] });
    expect(config?.party).toMatchObject([
      {
        every: 50,
        for: 'voters',
        minOnline: 1,
        userVotes: 1,
        reset: null,
        announceLeft: [50, 10, 5],
        servers: ['main'],
      },
    ]);
  });

  test.each([
    [{ votes: { every: 5 } }, 'votes'],
    [{ streak: 7 }, 'streak'],
    [{ chance: '5%' }, 'chance'],
    [{ any: [{ weekday: ['sat'] }, { returning: '9d' }] }, 'any[1].returning'],
    [{ not: { firstVote: true } }, 'not.firstVote'],
  ])(
    'whose `if` is %o is refused, because it does not choose votes by what they are',
    async (written, at) => {
      const { faults } = await examined({ party: [{ ...PARTY, if: written }] });
      expect(faults).toMatchObject([{ code: 'config-unknown-key', path: `party[0].if.${at}` }]);
      expect(faults[0]?.sentence).toContain('`weekday`');
    },
  );

  test.each([
    [{ for: 'once' }, 'party[0].commands'],
    [{ for: 'once', commands: ['say {votes}'] }, 'party[0].commands'],
    [{ for: 'once', commands: ['say hi'], userVotes: 2 }, 'party[0].userVotes'],
    [{ minOnline: 2 }, 'party[0].minOnline'],
    [{ commands: ['say {player} voted on {site}'] }, 'party[0].commands'],
    [{ announce: ['say {player}'] }, 'party[0].announce'],
    [{ announce: ['say vote: {voteLinks}'] }, 'party[0].announce'],
    [{ announce: ['say {random 1..6} left'] }, 'party[0].announce'],
    [{ servers: ['sky'] }, 'party[0].servers[0]'],
    [{ if: { site: 'Lsit' } }, 'party[0].if.site'],
    [{ name: 'daily' }, 'party[0].name'],
  ])('with %o is refused', async (change, path) => {
    expect((await partyFaults(change)).map((fault) => fault.split(' ')[1])).toEqual([
      path.replace('[0].servers[0]', '[0].servers'),
    ]);
  });

  test('waits for players only where the game server can report who is online', async () => {
    const at = (fault: string) => `config-value party[0].${fault}`;
    const on = { gameServers: HTTP, rewards: [] };
    expect(await partyFaults({}, on)).toEqual([at('when')]);
    expect(await partyFaults({ when: 'always' }, on)).toEqual([]);
    expect(await partyFaults({ for: 'online', when: 'always' }, on)).toEqual([at('for')]);
    expect(await partyFaults({ for: 'once', commands: ['say hi'] }, on)).toEqual([]);
  });
});

const TOP = { name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } };
const BOARD = { name: 'board', commands: ['say {top1}'] };
const REMINDER = { name: 'vote-now', commands: ['tell {player} Vote on {sitesLeft} sites'] };

describe('tops, figures and reminders', () => {
  test('need few keys', async () => {
    const { config } = await examined({ tops: [TOP], publish: [BOARD], remind: [REMINDER] });
    expect(config?.tops).toMatchObject([{ ties: 'first', settleMs: 3_600_000, when: 'online', exclude: [] }]);
    expect(config?.publish).toMatchObject([{ everyMs: 60_000, servers: ['main'] }]);
    expect(config?.remind).toMatchObject([{ onJoin: true, everyMs: null, servers: ['main'] }]);
  });

  test.each([
    [{ tops: [{ ...TOP, if: { firstVote: true } }] }, 'config-unknown-key tops[0].if.firstVote'],
    [{ tops: [{ ...TOP, prizes: { '1': ['say {site}'] } }] }, 'config-value tops[0].prizes'],
    [{ tops: [{ ...TOP, prizes: { '1..2000': ['say hi'] } }] }, 'config-value tops[0].prizes'],
    [{ tops: [TOP, { ...TOP, period: 'week' }] }, 'config-value tops[1].name'],
    [{ publish: [{ ...BOARD, commands: ['say {streak}'] }] }, 'config-value publish[0].commands'],
    [{ tops: [{ ...TOP, name: 'board' }], publish: [BOARD] }, 'config-value publish[0].name'],
    [{ remind: [{ ...REMINDER, commands: ['tell {player} {votes}'] }] }, 'config-value remind[0].commands'],
    [
      { remind: [{ ...REMINDER, commands: ['tell {player} {random 1..6}'] }] },
      'config-value remind[0].commands',
    ],
    [{ publish: [{ ...BOARD, commands: ['say {random 1..6}'] }] }, 'config-value publish[0].commands'],
    [
      { publish: [{ ...BOARD, commands: [`say ${'{top1} '.repeat(60)}`] }] },
      'config-template publish[0].commands[0]',
    ],
    [{ remind: [{ ...REMINDER, onJoin: false }] }, 'config-value remind[0].every'],
  ])('in %o is refused: %s', async (config, fault) => {
    expect(await faultsOf(config)).toEqual([fault]);
  });

  test('need a game server that can report who is online, where players are told', async () => {
    const on = { gameServers: HTTP, rewards: [] };
    expect(await faultsOf({ ...on, publish: [BOARD] })).toEqual([]);
    expect(await faultsOf({ ...on, publish: [{ ...BOARD, commands: ['rank {player} {rank}'] }] })).toEqual([
      'config-value publish[0].servers',
    ]);
    expect(await faultsOf({ ...on, remind: [REMINDER] })).toEqual(['config-value remind[0].servers']);
  });
});

const MAIN = { main: { kind: 'practice' } };
const OLD = { kind: 'votifier', port: 8194, token: 'the-token-of-the-old-listener' };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };

const withOld = (change: object, more: object = {}) => ({
  gameServers: { ...MAIN, old: { ...OLD, ...change } },
  ...more,
});

describe('a game server of kind votifier', () => {
  test('needs a token, and gets votes for a day', async () => {
    const { config, faults } = await examined(withOld({}));
    expect(faults).toEqual([]);
    expect(config?.gameServers.get('old')).toMatchObject({
      host: '127.0.0.1',
      protocol: 'v2',
      maxAge: 86_400_000,
    });
  });

  test.each([
    [{ token: undefined }, 'token'],
    [{ token: undefined, protocol: 'v1' }, 'publicKey'],
    [{ port: 8192 }, 'port'],
    [{ port: undefined }, 'port'],
    [{ port: 8192, host: 'localhost' }, 'port'],
    [{ maxAge: '1s' }, 'maxAge'],
    [{ publicKey: '' }, 'publicKey'],
    [{ protocol: 'v3' }, 'protocol'],
  ])('is refused with %o', async (change, key) => {
    expect(await faultsOf(withOld(change))).toEqual([`config-value gameServers.old.${key}`]);
  });

  test('may be at the port of the own listener on another machine', async () => {
    expect(await faultsOf(withOld({ port: 8192, host: '192.0.2.7' }))).toEqual([]);
    const listener = { host: '192.0.2.7' };
    expect(await faultsOf(withOld({ port: 8192, host: '192.0.2.7' }, { listener }))).toEqual([
      'config-value gameServers.old.port',
    ]);
  });

  test('has no keys that are about commands or players', async () => {
    expect(await faultsOf(withOld({ refusedReplies: ['no'], joinDelay: '1s' }))).toEqual([
      'config-unknown-key gameServers.old.refusedReplies',
      'config-unknown-key gameServers.old.joinDelay',
    ]);
  });

  test('pays only where `pay` leaves votes to it, because otherwise both would pay', async () => {
    expect(await faultsOf(withOld({ pays: true }))).toEqual(['config-value gameServers.old.pays']);
    expect(await faultsOf(withOld({ pays: true }, { pay: { mode: 'shadow' } }))).toEqual([]);
    expect(await faultsOf(withOld({ pays: true }, { pay: { from: '2026-06-01T12:00Z' } }))).toEqual([]);
  });

  test('has a public key in a file, or as the key itself', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const [written, read] of [
      ['old/public.key', '/srv/teller/old/public.key'],
      [publicKeyText(publicKey), publicKeyText(publicKey)],
      [pem, pem],
    ]) {
      const { config } = await examined(withOld({ protocol: 'v1', publicKey: written }));
      expect(config?.gameServers.get('old')).toMatchObject({ publicKey: read });
    }
  });
});

describe('a reward', () => {
  test('is not paid on a game server that takes votes: "all", and leaving `servers` out, mean the others', async () => {
    for (const servers of [{}, { servers: 'all' }]) {
      const { config, faults } = await examined(withOld({}, { rewards: [{ ...DAILY, ...servers }] }));
      expect(faults).toEqual([]);
      expect(config?.rewards[0]?.servers).toEqual(['main']);
    }
  });

  test.each([['rewards'], ['party'], ['publish'], ['remind']])(
    'in `%s` cannot name a game server that takes votes',
    async (section) => {
      const entry = {
        ...DAILY,
        name: 'another',
        servers: ['main', 'old'],
        ...(section === 'party' ? { every: 5 } : {}),
      };
      const faults = await faultsOf(withOld({}, { [section]: [entry] }));
      expect(faults).toEqual([`config-value ${section}[0].servers`]);
    },
  );

  test('cannot be paid if every game server takes votes', async () => {
    const gameServers = { old: OLD };
    expect(await faultsOf({ gameServers, rewards: [DAILY] })).toEqual(['config-value rewards[0].servers']);
    expect(await faultsOf({ gameServers, rewards: [] })).toEqual([]);
  });

  test('cannot have the name that stands for forwards', async () => {
    expect(await faultsOf({ rewards: [{ ...DAILY, name: '(forward)' }] })).toEqual([
      'config-value rewards[0].name',
    ]);
  });
});
