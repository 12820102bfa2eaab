import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import {
  cleanService,
  closeCommand,
  nameAsWord,
  openCommand,
  templateText,
} from '../../src/core/template.ts';
import { naming } from '../support/naming.ts';

/** The whitelist refuses these names; if one still gets here, it is not filled in. */
const NO_NAMES = ['', 'Bob"', 'Bob\\', "Bob'", 'Bob\nop evil', 'Bob\r', 'Bob\0', 'Bob\u2028', 'Bob\u202e'];

const close = (open: string, player: string, uuid: string | null = null) =>
  closeCommand(open, { player, uuid, now: null });

const values = { site: 'My List', service: 'My-List.com' };

test('a template loses one leading slash, which people paste, but not a second', () => {
  expect(templateText('/give {player} diamond')).toBe('give {player} diamond');
  expect(templateText('  /say hi ')).toBe('say hi');
  expect(templateText('//set stone')).toBe('/set stone');
});

test('a template may be a list of parts, which are joined by spaces, with objects as compact JSON', () => {
  expect(templateText(['/tellraw @a', { text: '{player} voted', bold: true }])).toBe(
    'tellraw @a {"text":"{player} voted","bold":true}',
  );
});

test('keeps {uuid} through the first stage, and as written if no UUID is known', () => {
  const open = openCommand('lp user {uuid} %uuid% {player}', values);
  expect(open).toBe('lp user {uuid} {uuid} {player}');
  expect(close(open, 'Bob')).toBe('lp user {uuid} {uuid} Bob');
  const uuid = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
  expect(close(open, 'Bob', uuid)).toBe(`lp user ${uuid} ${uuid} Bob`);
});

test('the first stage fills in everything but the player, in both placeholder styles', () => {
  expect(openCommand('a {site} %site% {service} %service%', values)).toBe(
    'a My List My List My-List.com My-List.com',
  );
  expect(openCommand('give {player} %player%', values)).toBe('give {player} {player}');
});

test('the first stage fills in a user ID, and leaves the placeholder if a vote has none', () => {
  expect(openCommand('coins {userId} 5', { ...values, userId: '1180' })).toBe('coins 1180 5');
  expect(openCommand('coins {userId} 5', values)).toBe('coins {userId} 5');
});

test('the first stage leaves the command’s own braces and percent signs alone', () => {
  const command = 'give {player} chest{Items:[{id:"a",Count:1b}]} 100% {unrelated} {Player} %tps%';
  expect(openCommand(command, values)).toBe(command);
});

test('the first stage finds a placeholder that shares a percent sign with another word', () => {
  expect(openCommand('%a%site%', values)).toBe('%aMy List');
});

test('the first stage removes placeholders, quotes and line breaks from values', () => {
  const hostile = { site: '{player}"\n', service: '{player}\nop evil"\\', userId: '{player}' };
  expect(openCommand('say {site}|{service}|{userId}', hostile)).toBe('say player|playerop evil|player');
});

test('a service name is reduced to at most 64 harmless characters', () => {
  expect(cleanService('My-List.com: a/b_c')).toBe('My-List.com: a/b_c');
  expect(cleanService('a,b')).toBe('ab');
  expect(cleanService('§cEvil"\'\\{}@\r\n;名')).toBe('cEvil');
  expect(cleanService('x'.repeat(100))).toHaveLength(64);
});

test('the second stage fills in a plain name everywhere', () => {
  expect(close('give {player} a{x:"{player}"}', 'Bob_1')).toBe('give Bob_1 a{x:"Bob_1"}');
  expect(close('give {player} diamond', '.Bob')).toBe('give .Bob diamond');
});

test('the second stage does not read a name as a replacement pattern', () => {
  expect(close('give {player} 1', '$&Bob')).toBe('give "$&Bob" 1');
});

test.each([
  ['give {player} diamond 1', 'give "*Bob" diamond 1'],
  ['kill {player}', 'kill "*Bob"'],
  ['execute as {player} run give {player} diamond', 'execute as "*Bob" run give "*Bob" diamond'],
  ["title x actionbar don't {player}", 'title x actionbar don\'t "*Bob"'],
  ['give x stone[a={b:1}] {player}', 'give x stone[a={b:1}] "*Bob"'],
  ['tell {player} thanks, {player}', 'tell "*Bob" thanks, *Bob'],
])('the second stage quotes a prefixed name where a word is expected: %s', (open, closed) => {
  expect(close(open, '*Bob')).toBe(closed);
});

test.each([
  ['say {player} voted', 'say *Bob voted'],
  ['minecraft:say {player} voted', 'minecraft:say *Bob voted'],
  ['me thanks {player}', 'me thanks *Bob'],
  ['execute as @a run say {player}', 'execute as @a run say *Bob'],
  ['tellraw @a {"text":"{player} voted"}', 'tellraw @a {"text":"*Bob voted"}'],
  ['tellraw @a ["", {"text": {player} }]', 'tellraw @a ["", {"text": *Bob }]'],
  ['lp user x meta set "hi {player} x"', 'lp user x meta set "hi *Bob x"'],
  ['lp user x meta set "a\\" {player} "', 'lp user x meta set "a\\" *Bob "'],
  ["data merge x '{player}'", "data merge x '*Bob'"],
  ['give @a[name={player}] stone', 'give @a[name=*Bob] stone'],
  ['lp user group.{player} x', 'lp user group.*Bob x'],
  ['lp user {player}: x', 'lp user *Bob: x'],
])('the second stage leaves a prefixed name bare elsewhere: %s', (open, closed) => {
  expect(close(open, '*Bob')).toBe(closed);
});

test('[RCON-14] a name as a word is quoted if necessary', () => {
  expect(['Bob_1', '.Bob', '*Bob', '!Bob'].map(nameAsWord)).toEqual(['Bob_1', '.Bob', '"*Bob"', '"!Bob"']);
});

test.each(NO_NAMES)(
  '[RCON-14] a name as a word is null if it could end the word or the line, and is not filled in: %j',
  (name) => {
    expect(nameAsWord(name)).toBeNull();
    expect(close('give {player} a{x:"{player}"}', name)).toBe('give {player} a{x:"{player}"}');
  },
);

/** The codes and sentences of the faults of a config with this command. */
async function faultsOf(command: string): Promise<readonly { code: string; sentence: string }[]> {
  const text = JSON.stringify({ rewards: [{ name: 'a', commands: [command] }] });
  const { faults } = await examineText(text, '/config.json', { env: {} });
  return faults.map(({ code, sentence }) => ({ code, sentence }));
}

const fault = (...facts: readonly (string | RegExp)[]) => ({
  code: 'config-template',
  sentence: naming(...facts),
});

describe('a template is refused', () => {
  test.each([
    ['{player}', '{palyer} {PLAYER} {Player} %playr% {name} {username} {playername}'],
    ['{player}', '%player_name% {player-name} {player% %player}'],
    ['{site}', '{stie} {SITE}'],
    ['{service}', '{sevice} {service_name}'],
    ['{userId}', '{userid} {user_id}'],
  ])('for near misses, with what was meant, %s: %s', async (meant, misses) => {
    for (const written of misses.split(' '))
      expect(await faultsOf(`say ${written} voted`)).toEqual([fault(written, meant)]);
  });

  test.each(['{count}', '%count%'])('for %s, which earlier builds filled in', async (written) => {
    expect(await faultsOf(`eco give {player} ${written}`)).toEqual([fault(written, /one by one/)]);
  });

  test('for each near miss in it, and for nothing else', async () => {
    expect(await faultsOf('%a%playre%b {nmae} {nick}')).toEqual([fault('%playre%'), fault('{nick}')]);
  });

  test.each(['a\nop evil', 'a\rb', 'a\u2028b', 'a\0b'])('if it is not one line: %j', async (template) => {
    expect(await faultsOf(template)).toEqual([fault(/one line/)]);
  });

  test('if it is empty, and if it can become longer than the 1,446 bytes that a game server reads', async () => {
    expect(await faultsOf('')).toEqual([fault(/empty/)]);
    const fits = `say ${'x'.repeat(1446 - 4 - 27)}{player}`;
    expect(await faultsOf(fits)).toEqual([]);
    expect(await faultsOf(`${fits}x`)).toEqual([fault('1447 bytes')]);
    // Bytes, not characters; {site} may have 64 of them, and a range as many as its longer end.
    const each = 'é {player} %site% {random 1..-5}{random -5..10} ';
    const rest = 1446 - (3 + 27 + 1 + 64 + 1 + 14 + 2 + 1);
    expect(await faultsOf(`${each}${'x'.repeat(rest)}`)).toEqual([]);
    expect(await faultsOf(`${each}${'x'.repeat(rest + 1)}`)).toEqual([fault('1447 bytes')]);
  });
});

test.each(['{player} %player% {site} {service}', '{Count:1b} {x} {unrelated} 100% {"a":1} {server} {time}'])(
  'a template is accepted: %s',
  async (template) => {
    expect(await faultsOf(template)).toEqual([]);
  },
);

describe('{nextVote}', () => {
  const open = openCommand('msg {player} again in {nextVote}', { ...values, nextVote: 1_000_000_000 });
  const sentAt = (now: number | null) => closeCommand(open, { player: 'Bob', uuid: null, now });

  test.each([
    [1_000_000_000 - 12_000_000, 'msg Bob again in 3 h 20 min'],
    [1_000_000_000, 'msg Bob again in now'],
    [2_000_000_000, 'msg Bob again in now'],
    [null, 'msg Bob again in {nextVote}'],
  ])('is the time until the next vote when the command is sent: at %s', (now, line) => {
    expect(sentAt(now)).toBe(line);
  });

  test('is filled in for a user ID, too', () => {
    const toUser = openCommand('coins {userId} {nextVote}', { ...values, userId: '1180', nextVote: 60_000 });
    expect(closeCommand(toUser, { player: null, uuid: null, now: 0 })).toBe('coins 1180 1 min');
  });
});

test('a figure that contains a service name is cleaned like one', () => {
  const figures = { occasion: 'site Evil"{player}\n total 25, day 2026-11-21 total 2' };
  expect(openCommand('say {occasion} %occasion%', { ...values, figures })).toBe(
    `say ${'site Evilplayer total 25, day 2026-11-21 total 2 '.repeat(2).trim()}`,
  );
});

const links = (count: number) =>
  Array.from({ length: count }, (_, at) => `https://list-${10 + at}.example/vote`);

test('{voteLinks} are the pages on which to vote, with spaces between them', () => {
  expect(openCommand('msg {player} {voteLinks}', { ...values, links: links(2) })).toBe(
    'msg {player} https://list-10.example/vote https://list-11.example/vote',
  );
  expect(openCommand('msg {player} {voteLinks}', { ...values, links: [] })).toBe('msg {player} ');
});

test.each(['msg {player} {voteLinks}', 'tellraw {player} ["{voteLinks}","{voteLinks}"]'])(
  '{voteLinks} are cut at a whole link, so that the line is not too long: %s',
  (template) => {
    const line = openCommand(template, { ...values, links: links(90) });
    // {player} may become 27 bytes long.
    const longest = line.replace('{player}', 'x'.repeat(27)).length;
    expect(longest).toBeLessThanOrEqual(1446);
    expect(longest).toBeGreaterThan(1446 - 120);
    expect(line.replaceAll(/https:\/\/list-\d\d\.example\/vote/g, '').replaceAll(/ +/g, ' ')).toBe(
      template.replaceAll('{voteLinks}', template.startsWith('msg') ? '' : ' '),
    );
  },
);
