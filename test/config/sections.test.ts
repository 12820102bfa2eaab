import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { publicKeyText } from '../../protocol/votifier/v1.ts';
import { desk } from '../kit/place.ts';
import { examined, faultsOf } from './examined.ts';

const REWARD = { name: 'r', commands: ['give {player} diamond 1'] };
const MAIN = { kind: 'practice' };

const configWith = (reward: object, server: object = {}) => ({
  gameServers: { main: { ...MAIN, ...server } },
  rewards: [{ ...REWARD, ...reward }],
});

/** The faults of a reward on a game server of this version, each as code and key of the reward. */
const faultsWith = async (reward: object, version?: string) =>
  (await faultsOf(configWith(reward, { version }))).map((fault) => fault.replace('rewards[0].', ''));

/** The commands of each grant that a vote of Steve may get. */
async function commandsOf(reward: object, server: object = {}): Promise<readonly string[][]> {
  const { json } = await desk(configWith(reward, server)).run('preview', 'Steve', '--json');
  return json[0].grants.map(({ commands }: { commands: string[] }) => commands);
}

test('the messages of a reward are commands after its own', async () => {
  const messages = { message: '&aThanks, {player}!', title: '&6Voted', sound: 'ui.button.click' };
  const [commands] = await commandsOf(messages, { version: '1.21.4' });
  expect(commands).toEqual([
    'give Steve diamond 1',
    'tellraw Steve {"text":"Thanks, Steve!","color":"green"}',
    'title Steve title {"text":"Voted","color":"gold"}',
    'execute at Steve run playsound ui.button.click master Steve',
  ]);
});

test('the messages of a reward are enough for a reward, also where a prize, an alternative or nothing is run, and may have line breaks', async () => {
  expect(await commandsOf({ commands: undefined, message: 'two\nlines' })).toEqual([
    ['tellraw Steve {"text":"two\\nlines"}'],
  ]);
  const drawn = { oneOf: [{ commands: ['say a'] }, { commands: ['say b'] }], message: 'Hi' };
  expect(await commandsOf(drawn)).toEqual(
    ['say a', 'say b'].map((each) => ['give Steve diamond 1', each, 'tellraw Steve {"text":"Hi"}']),
  );
});

test('the messages of a reward are not sent with `otherwise`', async () => {
  const lost = await commandsOf({ if: { chance: '5%' }, otherwise: ['say lost'], message: 'Won!' });
  expect(lost.at(-1)).toEqual(['say lost']);
});

const CLICK = { sound: 'ui.button.click' };
const HEX = '&#ff8800Hi';
test.each<[reward: object, version: string | undefined, ...faults: string[]]>([
  [CLICK, undefined, 'config-value sound'],
  [CLICK, '1.12.2', 'config-value sound'],
  [CLICK, '1.13'],
  [{ message: HEX, title: HEX }, undefined, 'config-value message', 'config-value title'],
  [{ message: HEX }, '1.15.2', 'config-value message'],
  [{ message: HEX }, '1.16.1'],
  [{ message: '&aHi &&#ff8800' }, undefined],
  [{ message: '' }, '1.21.4', 'config-value message'],
  [{ message: 'bell\u0007' }, '1.21.4', 'config-value message'],
  [{ message: '{playr} voted' }, '1.21.4', 'config-template message'],
  [{ message: 'x'.repeat(1_400) }, '1.21.4', 'config-template message'],
  [{ title: 7 }, '1.21.4', 'config-value title'],
  [{ sound: 'Not A Sound' }, '1.21.4', 'config-value sound'],
  [{}, 'latest', 'config-value gameServers.main.version'],
])(
  'the messages of a reward %j on a game server of version %s has these faults: %s %s',
  async (reward, version, ...faults) => {
    expect(await faultsWith(reward, version)).toEqual(faults);
  },
);

test('the messages of a reward of 1,446 bytes with the longest names are accepted, and one byte more is refused', async () => {
  const around = Buffer.byteLength(`tellraw {player} {"text":""}`) - '{player}'.length + 27;
  const fits = 'x'.repeat(1_446 - around);
  expect(await faultsWith({ message: fits })).toEqual([]);
  expect(await faultsWith({ message: `${fits}x` })).toEqual(['config-template message']);
});

const HTTP = { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'first-http-secret' };

describe('announcements of a reward', () => {
  const read = async (reward: object) => {
    const { announcement, terms } = (await examined(configWith(reward))).config?.rewards[0] ?? {};
    return { announcement, expiresMs: terms?.expiresAfterMs ?? null };
  };
  const atMost = (count: number, within: string) => ({ atMost: { count, within } });

  test('are its broadcast, which comes last, or everything, which expires after two minutes at the latest', async () => {
    const broadcast = { isWhole: false, atMost: null };
    const whole = { isWhole: true, atMost: null };
    const limited = { count: 3, withinMs: 600_000 };
    for (const [reward, announcement, expiresMs] of [
      [{ message: 'Hi' }, null, null],
      [{ broadcast: '{player} voted' }, broadcast, null],
      [{ announce: true }, whole, 120_000],
      [{ announce: true, expiresAfter: '7d' }, whole, 120_000],
      [{ announce: true, expiresAfter: '1m' }, whole, 60_000],
      [{ announce: true, ...atMost(3, '10m') }, { ...whole, atMost: limited }, 120_000],
    ] as const)
      expect(await read(reward), JSON.stringify(reward)).toEqual({ announcement, expiresMs });
    const [commands] = await commandsOf({ broadcast: '&a{player} voted', title: 'Hi' });
    const broadcasted = 'tellraw @a {"text":"Steve voted","color":"green"}';
    expect(commands?.slice(1)).toEqual(['title Steve title {"text":"Hi"}', broadcasted]);
  });

  test.each([
    [atMost(1, '1m'), 'atMost'],
    [{ announce: true, safeToRunTwice: true }, 'safeToRunTwice'],
    [{ broadcast: '&#ff8800Hi' }, 'broadcast'],
    [{ announce: true, ...atMost(0, '1m') }, 'atMost.count'],
  ])('%j is refused at its key', async (reward, key) => {
    expect(await faultsWith(reward)).toEqual([`config-value ${key}`]);
  });

  test('need no game server that can report who is online', async () => {
    for (const more of [{ broadcast: 'Hi' }, { announce: true }])
      expect(await faultsOf(configWith({ when: 'always', ...more }, HTTP))).toEqual([]);
  });
});

/** A config whose only game server cannot report who is online. */
const SILENT = { gameServers: { posted: HTTP }, rewards: [] };
const PARTY = { name: 'all', every: 50, commands: ['give {player} cake 1'] };

const partyOf = (change: object, more: object = {}) => ({ party: [{ ...PARTY, ...change }], ...more });

test('a party needs no more than a name, how many votes it takes, and commands', async () => {
  const { config } = await examined(partyOf({}));
  const [party] = config?.party ?? [];
  expect(party).toMatchObject({ every: 50, for: 'voters', minOnline: 1, userVotes: 1, reset: null });
  expect(party).toMatchObject({ announceLeft: [50, 10, 5], servers: ['main'] });
});

test.each([
  [{ votes: { every: 5 } }, 'votes'],
  [{ streak: 7 }, 'streak'],
  [{ chance: '5%' }, 'chance'],
  [{ any: [{ weekday: ['sat'] }, { returning: '9d' }] }, 'any[1].returning'],
  [{ not: { firstVote: true } }, 'not.firstVote'],
])('a party whose `if` is %o, which is not about the vote itself, is refused', async (written, at) => {
  const { faults } = await examined(partyOf({ if: written }));
  expect(faults).toMatchObject([{ code: 'config-unknown-key', path: `party[0].if.${at}` }]);
  expect(faults[0]?.sentence).toContain('`weekday`');
});

test.each([
  [{ for: 'once' }, 'config-value', 'commands'],
  [{ for: 'once', commands: ['say {votes}'] }, 'config-value', 'commands'],
  [{ for: 'once', commands: ['say hi'], userVotes: 2 }, 'config-value', 'userVotes'],
  [{ minOnline: 2 }, 'config-value', 'minOnline'],
  [{ commands: ['say {player} voted on {site}'] }, 'config-value', 'commands'],
  [{ announce: ['say {player}'] }, 'config-value', 'announce'],
  [{ announce: ['say vote: {voteLinks}'] }, 'config-value', 'announce'],
  [{ announce: ['say {random 1..6} left'] }, 'config-value', 'announce'],
  [{ servers: ['sky'] }, 'config-unknown-name', 'servers'],
  [{ if: { site: 'Lsit' } }, 'config-unknown-name', 'if.site'],
  [{ name: 'daily' }, 'config-value', 'name'],
])('a party with %o is refused: %s', async (change, code, key) => {
  expect(await faultsOf(partyOf(change))).toEqual([`${code} party[0].${key}`]);
});

test.each<[object, ...string[]]>([
  [{}, 'config-value party[0].when'],
  [{ when: 'always' }],
  [{ for: 'online', when: 'always' }, 'config-value party[0].for'],
  [{ for: 'once', commands: ['say hi'] }],
])('a party with %o where nobody knows who is online has these faults: %s', async (change, ...faults) => {
  expect(await faultsOf(partyOf(change, SILENT))).toEqual(faults);
});

const TOP = { name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } };
const top = (more: object) => ({ tops: [{ ...TOP, ...more }] });
const board = (more: object = {}) => ({ publish: [{ name: 'board', commands: ['say {top1}'], ...more }] });
const REMINDER = { name: 'vote-now', commands: ['tell {player} Vote on {sitesLeft} sites'] };
const remind = (more: object = {}) => ({ remind: [{ ...REMINDER, ...more }] });

test('tops, figures and reminders need few keys', async () => {
  const { config } = await examined({ ...top({}), ...board(), ...remind() });
  expect(config?.tops).toMatchObject([{ ties: 'first', settleMs: 3_600_000, when: 'online', exclude: [] }]);
  expect(config?.publish).toMatchObject([{ everyMs: 60_000, servers: ['main'] }]);
  expect(config?.remind).toMatchObject([{ onJoin: true, everyMs: null, servers: ['main'] }]);
});

test.each<[object, ...string[]]>([
  [top({ if: { firstVote: true } }), 'config-unknown-key tops[0].if.firstVote'],
  [top({ prizes: { '1': ['say {site}'] } }), 'config-value tops[0].prizes'],
  [top({ prizes: { '1..2000': ['say hi'] } }), 'config-value tops[0].prizes'],
  [{ tops: [TOP, { ...TOP, period: 'week' }] }, 'config-value tops[1].name'],
  [board({ commands: ['say {streak}'] }), 'config-value publish[0].commands'],
  [{ ...top({ name: 'board' }), ...board() }, 'config-value publish[0].name'],
  [board({ commands: ['say {random 1..6}'] }), 'config-value publish[0].commands'],
  [board({ commands: [`say ${'{top1} '.repeat(60)}`] }), 'config-template publish[0].commands[0]'],
  [remind({ commands: ['tell {player} {votes}'] }), 'config-value remind[0].commands'],
  [remind({ commands: ['tell {player} {random 1..6}'] }), 'config-value remind[0].commands'],
  [remind({ onJoin: false }), 'config-value remind[0].every'],
  // Where players are told, who is online has to be known.
  [{ ...SILENT, ...board() }],
  [{ ...SILENT, ...board({ commands: ['rank {player} {rank}'] }) }, 'config-value publish[0].servers'],
  [{ ...SILENT, ...remind() }, 'config-value remind[0].servers'],
])('tops, figures and reminders of %o have these faults: %s', async (config, ...faults) => {
  expect(await faultsOf(config)).toEqual(faults);
});

const OLD = { kind: 'votifier', port: 8194, token: 'the-token-of-the-old-listener' };
const withOld = (change: object, more: object = {}) => ({
  gameServers: { main: MAIN, old: { ...OLD, ...change } },
  ...more,
});

test('a game server of kind votifier needs a token, and gets votes for a day', async () => {
  const { config, faults } = await examined(withOld({}));
  expect(faults).toEqual([]);
  expect(config?.gameServers.get('old')).toMatchObject({
    ...{ host: '127.0.0.1', protocol: 'v2', maxAge: 86_400_000 },
  });
});

const ELSEWHERE = { port: 8192, host: '192.0.2.7' };
test.each<[settings: object, more: object, ...keys: string[]]>([
  [{ token: undefined }, {}, 'config-value token'],
  [{ token: undefined, protocol: 'v1' }, {}, 'config-value publicKey'],
  [{ port: undefined }, {}, 'config-value port'],
  [{ maxAge: '1s' }, {}, 'config-value maxAge'],
  [{ publicKey: '' }, {}, 'config-value publicKey'],
  [{ protocol: 'v3' }, {}, 'config-value protocol'],
  // It may be at the port of the own listener on another machine.
  [{ port: 8192 }, {}, 'config-value port'],
  [{ port: 8192, host: 'localhost' }, {}, 'config-value port'],
  [ELSEWHERE, {}],
  [ELSEWHERE, { listener: { host: '192.0.2.7' } }, 'config-value port'],
  // Both would pay, unless `pay` leaves votes to it.
  [{ pays: true }, {}, 'config-value pays'],
  [{ pays: true }, { pay: { mode: 'shadow' } }],
  [{ pays: true }, { pay: { from: '2026-06-01T12:00Z' } }],
  // It has no keys that are about commands or players.
  [{ refusedReplies: ['no'] }, {}, 'config-unknown-key refusedReplies'],
  [{ joinDelay: '1s' }, {}, 'config-unknown-key joinDelay'],
])(
  'a game server of kind votifier with %o in a config with %o has these faults: %s',
  async (settings, more, ...keys) => {
    const faults = keys.map((key) => key.replace(' ', ' gameServers.old.'));
    expect(await faultsOf(withOld(settings, more))).toEqual(faults);
  },
);

test('a game server of kind votifier has a public key in a file, or as the key itself', async () => {
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

test('a reward is not paid on a game server that takes votes: "all", and leaving `servers` out, mean the others', async () => {
  for (const servers of [{}, { servers: 'all' }]) {
    const { config, faults } = await examined(withOld({}, { rewards: [{ ...REWARD, ...servers }] }));
    expect(faults).toEqual([]);
    expect(config?.rewards[0]?.servers).toEqual(['main']);
  }
});

const SECTIONS = { rewards: {}, party: { every: 5 }, publish: {}, remind: {} };
test.each(Object.entries(SECTIONS))(
  'a reward in `%s` cannot name one that takes votes',
  async (section, more) => {
    const entry = { ...REWARD, name: 'another', servers: ['main', 'old'], ...more };
    const fault = `config-value ${section}[0].servers`;
    expect(await faultsOf(withOld({}, { [section]: [entry] }))).toEqual([fault]);
  },
);

test('a reward cannot be paid if every game server takes votes, nor have the name that stands for forwards', async () => {
  const gameServers = { old: OLD };
  expect(await faultsOf({ gameServers, rewards: [REWARD] })).toEqual(['config-value rewards[0].servers']);
  expect(await faultsOf({ gameServers, rewards: [] })).toEqual([]);
  const forward = { ...REWARD, name: '(forward)' };
  expect(await faultsOf({ rewards: [forward] })).toEqual(['config-value rewards[0].name']);
});
