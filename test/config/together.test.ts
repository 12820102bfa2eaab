import { describe, expect, test } from 'vitest';
import { examined, faultsOf } from './examined.ts';

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
