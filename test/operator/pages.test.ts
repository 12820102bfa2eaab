import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { typed } from '../kit/typed.ts';
import { sendV2, TOKEN, type Vote } from '../kit/vote.ts';
import { CHANGES, FULL, withValueAt } from '../support/config-changes.ts';
import { writeConfig } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { rowsOf, stateSentenceOf, textOf } from '../support/page-text.ts';
import { runningConsole } from '../support/running-console.ts';
import { SettableClock } from '../support/settable-clock.ts';

const COMMANDS = ['give {player} diamond 1'];
const DAILY = { name: 'daily', commands: COMMANDS };
const LUCKY = { name: 'lucky', if: { chance: '5%' }, commands: COMMANDS };
const LOYAL = { name: 'loyal', when: 'always', commands: COMMANDS };
const AWAY = { main: { kind: 'practice', autoJoin: false } };

/** The pages of a Teller whose time stands still. */
async function opened(config: object, at = '2026-06-01T12:00:00Z') {
  const clock = new SettableClock(at);
  const running = await runningConsole(clock, config);
  const browser = await running.operator();
  const html = async (path: string) => (await browser.get(path)).text;
  return {
    ...{ ...running, clock, browser, html },
    text: async (path: string) => textOf(await browser.get(path)),
    vote: (vote: Vote) => sendV2(running.app.listener.port, { at: clock.now(), ...vote }),
    run: (...words: string[]) => typed(words, running.config, clock),
    write: (next: object) => writeConfig(running.config, next),
  };
}

describe('the config file beside what runs', () => {
  const NEWER = 'is newer than what runs';

  test('is the same until it is changed, also with a comment, and after a reload', async () => {
    const { config, text, write, reload } = await opened({ rewards: [DAILY] });
    writeFileSync(config, `// mine\n${readFileSync(config, 'utf8')}`);
    expect(await text('/rewards')).not.toContain(NEWER);
    write({ rewards: [LUCKY] });
    expect(await text('/rewards')).toContain(NEWER);
    await reload();
    expect(await text('/rewards')).not.toContain(NEWER);
  });

  test('shows each value as it is written before and after, and what is left out', async () => {
    const site = (more: object) => ({ sites: { default: { token: TOKEN }, 'B.net': more } });
    const { text, write } = await opened({ ...site({ cooldown: '24h', label: 'B' }), rewards: [DAILY] });
    write({ ...site({ cooldown: '12h' }), rewards: [DAILY], listener: { host: '127.0.0.1', port: 1 } });
    expect(await text('/rewards')).toEqual(
      naming(
        ...['-listener.port: 0', '+listener.port: 1', '-sites["B.net"].label: "B"'],
        ...['-sites["B.net"].cooldown: "24h"', '+sites["B.net"].cooldown: "12h"'],
        ...['teller reload', 'restart Teller for listener.port'],
      ),
    );
  });

  test('shows an entry that is added or removed with all that is written in it, except its secrets', async () => {
    const real = { kind: 'rcon', port: 9, password: 'a-real-password' };
    const main = { kind: 'practice' };
    const rewards = [{ ...DAILY, servers: ['main'] }];
    const { text, write } = await opened({ gameServers: { main, real }, rewards });
    const another = { token: 'another-token-of-thirty-two-letters' };
    write({ gameServers: { main }, rewards, sites: { default: { token: TOKEN }, 'B.net': another } });
    const shown = await text('/rewards');
    expect(shown).toContain('-gameServers.real: {"kind":"rcon","port":9,"password":"(secret)"}');
    expect(shown).toContain('+sites["B.net"]: {"token":"(secret)"}');
  });

  test('shows no secret after any of them changed', async () => {
    const { html, config } = await opened(FULL);
    const secrets = Object.entries(CHANGES).filter(([key]) =>
      /token$|secret$|password$|^alarms\.url$|^events\[\]\.url$/i.test(key),
    );
    expect(secrets.length).toBeGreaterThan(8);
    for (const [, [path, value, reported]] of secrets) {
      writeFileSync(config, JSON.stringify(withValueAt(path, value)));
      const page = await html('/rewards');
      expect(textOf({ text: page })).toContain(`+${reported}: "(secret)"`);
      expect(page).not.toContain(String(value));
    }
  });

  test('says what the changes mean, also inside a `firstOf`', async () => {
    const { text, write } = await opened({
      rewards: [DAILY, { firstOf: [LUCKY, { ...LOYAL, name: 'other' }] }],
    });
    write({
      rewards: [
        {
          firstOf: [
            { ...LUCKY, if: { chance: '10%' } },
            { ...LOYAL, name: 'other' },
          ],
        },
        LOYAL,
      ],
    });
    expect(await text('/rewards')).toEqual(
      naming(
        ...['-rewards.lucky.if.chance: "5%"', '+rewards.lucky.if.chance: "10%"'],
        ...['lucky is changed.', 'loyal is added.', 'daily is removed.'],
        'Players get it for every vote, with a chance of 10%.',
      ),
    );
  });

  test('shows every fault at once, with its line and what was perhaps meant, and no secret', async () => {
    const { text, html, config } = await opened({});
    writeFileSync(
      config,
      '{\n  "listner": {},\n  "sites": { "default": { "token": "hunter2-in-a-file-with-faults" } },\n  "rewards": [{ "name": "x", "commands": ["give {palyer} diamond"] }]\n}',
    );
    expect(await text('/rewards')).toEqual(
      naming(
        'cannot be loaded',
        /Line 2: listner/,
        "perhaps you meant 'listener'",
        /Line 4: rewards\[0\]/,
        'perhaps you meant {player}',
      ),
    );
    expect(await html('/rewards')).not.toContain('hunter2');
    rmSync(config);
    expect(await text('/rewards')).toContain('cannot be loaded');
  });
});

describe('how Teller is, on every page', () => {
  test.each<[string, object, readonly string[], readonly string[]]>([
    [
      'practice alone',
      {},
      ['For practice only.'],
      ['Practice: rewards go to a practice server inside Teller'],
    ],
    [
      'practice beside a real game server',
      {
        gameServers: {
          main: { kind: 'practice' },
          real: { kind: 'rcon', port: 9, password: 'of-that-server' },
        },
      },
      [],
      ['Practice: rewards on main go to a practice server'],
    ],
    [
      'shadow',
      { pay: { mode: 'shadow' } },
      ['In shadow: nothing is paid here.'],
      ['Shadow: votes are stored'],
    ],
    [
      'a hand-over that is to come',
      { pay: { from: '2026-06-01T12:01Z' } },
      ['The other listener still pays.'],
      ['votes that arrive before 1 Jun 2026 12:01:00 UTC'],
    ],
  ])('is said with %s', async (_, config, sentences, notices) => {
    const { html } = await opened({ rewards: [], ...config });
    const page = await html('/');
    expect(stateSentenceOf(page)).toEqual(
      naming('Listening on port', 'No site is in the config yet.', ...sentences),
    );
    if (sentences.length === 0) expect(stateSentenceOf(page)).not.toContain('practice');
    for (const notice of notices) expect(textOf({ text: page })).toContain(notice);
  });

  test('nothing is said of a hand-over that is over, and of a time without pauses', async () => {
    const { html, run } = await opened({ pay: { from: '2026-06-01T12:00Z' } });
    expect(await html('/')).not.toContain('Hand-over');
    await run('pause');
    expect(stateSentenceOf(await html('/'))).toContain('Payment is paused.');
  });
});

describe('the list of votes', () => {
  const rewardsOf = (html: string) =>
    rowsOf(html, 'Votes').map(({ Player, Rewards }) => `${Player}: ${Rewards}`);

  test('says of each vote what the operator has to know first', async () => {
    const game = await rconGame();
    const thanks = { name: 'thanks', when: 'always', commands: ['say {player}'] };
    const { vote, html, run } = await opened({
      gameServers: { main: game.entry },
      sites: { default: { token: TOKEN }, List: {} },
      rewards: [thanks, DAILY],
    });
    game.fault('refuse');
    for (const player of ['Steve', 'Alex', 'Zoe']) {
      await vote({ player });
      await expect.poll(async () => (await run('grants', '--json')).json[1].state).not.toBe('pending');
    }
    await run('grants', 'cancel', '5', '6');
    await run('grants', 'cancel', '4');
    await expect
      .poll(async () => rewardsOf(await html('/votes')))
      .toEqual(['Zoe: paid', 'Alex: paid', 'Steve: needs you']);
  });

  test('says of one that waits, was cancelled, or is paid by the other side', async () => {
    const one = await opened({ gameServers: AWAY, rewards: [DAILY] });
    for (const player of ['Steve', 'Alex']) await one.vote({ player, site: player });
    await one.run('grants', 'cancel', '1');
    const shown = async () => rewardsOf(await one.html('/votes'));
    await expect.poll(shown).toEqual(['Alex: waiting', 'Steve: cancelled']);
    const shadow = await opened({ pay: { mode: 'shadow' } });
    await shadow.vote({ player: 'Steve' });
    expect(rewardsOf(await shadow.html('/votes'))).toEqual(['Steve: other side pays']);
  });
});

describe('a player', () => {
  test('has what can be sent to them, which is still true when it is read later', async () => {
    const sites = { default: { token: TOKEN }, List: {} };
    const { clock, vote, text, html } = await opened({ sites, rewards: [LOYAL] }, '2026-06-01T08:00:00Z');
    await vote({ player: 'Steve' });
    clock.set('2026-06-01T12:00:00Z');
    await vote({ player: 'Steve' });
    clock.set('2026-06-01T13:00:00Z');
    expect(stateSentenceOf(await html('/players/Steve'))).toContain(
      'The last vote, on List 1 h ago, came too early',
    );
    const shown = await text('/players/Steve');
    expect(shown).toContain('Your last vote, on List at 2026-06-01 12:00 UTC, came too early');
    expect(shown).toContain('The next one counts from 2026-06-02 08:00 UTC on.');
  });

  test('waits for a game server that accepts no commands, as is said of their reward', async () => {
    const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
    const { vote, html } = await opened({ rewards: [LOYAL], gameServers: { main } });
    await vote({ player: 'Steve' });
    await expect
      .poll(async () => stateSentenceOf(await html('/players/Steve')))
      .toContain('as soon as it accepts commands again');
  });

  test('has twenty rewards that wait, the latest, and it is said that there are more', async () => {
    const { run, html } = await opened({ rewards: [DAILY], gameServers: AWAY });
    const give = (count: number) =>
      Promise.all(Array.from({ length: count }, () => run('reward', 'daily', '--player', 'Steve')));
    const waiting = async () => (await run('grants', '--state', 'waiting', '--json')).json.length;
    await give(20);
    await expect.poll(waiting).toBe(20);
    expect((await html('/players/Steve')).includes('The latest are shown.')).toBe(false);
    await give(1);
    await expect.poll(waiting).toBe(21);
    expect((await html('/players/Steve')).includes('The latest are shown.')).toBe(true);
  });
});

describe('votes by day', () => {
  test('are those received on each local day, also on one of 23 hours, and voided ones are not counted', async () => {
    const config = { timeZone: 'Europe/Berlin', rewards: [], sites: { default: { token: TOKEN }, List: {} } };
    const { clock, vote, browser, html, run } = await opened(config, '2026-03-28T22:00:00Z');
    for (const [at, player] of [
      ['2026-03-28T22:59:59.999Z', 'Steve'],
      ['2026-03-28T23:00:00Z', 'Alex'],
      ['2026-03-29T21:59:59.999Z', 'Zoe'],
      ['2026-03-29T22:00:00Z', 'Max'],
    ] as const) {
      clock.set(at);
      await vote({ player });
    }
    const lines = async () => (await browser.get('/figures/votes-by-day.csv')).text.trimEnd().split('\r\n');
    const found = await lines();
    expect([found[0], found.length, ...found.slice(-3)]).toEqual([
      ...['Day,List', 91, 'Sat 28 Mar 2026,1', 'Sun 29 Mar 2026,2', 'Mon 30 Mar 2026,1'],
    ]);
    const linked = async (player: string) =>
      (await html('/figures')).split(`href="/players/${player}"`).length - 1;
    // Of the day, the week, the month and ever.
    expect([await linked('Max'), await linked('Zoe')]).toEqual([4, 2]);
    clock.set('2026-03-29T22:00:01Z');
    await vote({ player: 'Kim' });
    expect((await lines()).at(-1)).toBe('Mon 30 Mar 2026,2');
    await run('votes', 'void', '5', '--reason', 'forged', '--yes');
    expect(await linked('Kim')).toBe(0);
    const votes = (day: string) => html(`/votes?day=${day}`).then((page) => rowsOf(page, 'Votes').length);
    expect([await votes('2026-03-29'), await votes('2026-03-30')]).toEqual([2, 2]);
  });
});
