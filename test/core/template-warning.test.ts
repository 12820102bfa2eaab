import { expect, test } from 'vitest';
import { PUBLISHED } from '../../src/core/figure-template.ts';
import { templateWarnings } from '../../src/core/template-warning.ts';
import { WORDS } from '../../src/rewards/words.ts';

const kinds = (template: string) =>
  templateWarnings(template, WORDS.rewards).map(({ code, written }) => `${code} ${written}`);

test.each<[string, string[]]>([
  ['say {unknown} voted', ['placeholder-unknown {unknown}']],
  ['say %luckperms_prefix% {player}', ['placeholder-unknown %luckperms_prefix%']],
  ['tellraw @a {"text":"{rank} voted"}', ['placeholder-unknown {rank}']],
  ['say {rank} {rank} %rank%', ['placeholder-unknown {rank}', 'placeholder-unknown %rank%']],
  ['say {vote} {bestStreaks}', ['placeholder-unknown {vote}', 'placeholder-unknown {bestStreaks}']],
  [
    'say {random 6..1} {random 1-6} {random}',
    ['placeholder-unknown {random 6..1}', 'placeholder-unknown {random 1-6}', 'placeholder-unknown {random}'],
  ],
])('warns once about an unknown placeholder: %s', (template, warnings) => {
  expect(kinds(template)).toEqual(warnings);
});

test.each([
  'say {player} on {site} by {service} %player%',
  'say {votes} {streak} %bestStreak% {nextVote} {random -5..10}',
  'give {player} diamond_sword{Enchantments:[{id:sharpness,lvl:5}]} 1',
  'give {player} stick[custom_name={text:"a"}] 1',
  'tellraw @a {"text":"50% off, 20% more","extra":["100%"]}',
  'tellraw @a {"translate":"%s voted","with":["{player}"]}',
  'data merge entity @s {}',
  'say 100% {0} { a }',
])('does not warn about text that is not a placeholder: %s', (template) => {
  expect(kinds(template)).toEqual([]);
});

test.each<[string, string]>([
  ['say &6{player} &evoted', '&6'],
  ['tellraw @a {"text":"&aThanks"}', '&a'],
  ['minecraft:msg {player} &lhello', '&l'],
  ['execute as {player} run say &cHi', '&c'],
  ['title {player} title "&#ff8800Hi"', '&#ff8800'],
])('warns about a colour code that a Minecraft command prints as text: %s', (template, written) => {
  expect(kinds(template)).toEqual([`colour-code ${written}`]);
});

test.each([
  'broadcast &6{player} voted',
  'essentials:msg {player} &6thanks',
  'msg {player} &6thanks',
  'say §6{player} voted',
  'say Tom&Ben and R&B, https://a.example/?x=1&b=2',
  'say rock & roll',
])(
  'does not warn about colour codes that a plugin may translate, or about other ampersands: %s',
  (template) => {
    expect(kinds(template)).toEqual([]);
  },
);

test.each([
  ['rewards', WORDS.rewards, 'say {partyLeft} {top1}', ['{partyLeft}', '{top1}']],
  ['publish', PUBLISHED, 'say {top1} {top11} {partyLeft} %rnak%', ['{top11}', '%rnak%']],
  ['remind', WORDS.remind, 'tell {player} {sitesleft} {voteLinks} {votes}', ['{sitesleft}', '{votes}']],
])('warns about what the commands of %s do not fill in', (_, words, template, written) => {
  expect(templateWarnings(template, words).map((each) => each.written)).toEqual(written);
});

test('says which word of the list was probably meant', () => {
  expect(templateWarnings('say %rnak%', PUBLISHED)[0]?.toDo).toContain('{rank}');
  expect(templateWarnings('tell {player} {sitesleft}', WORDS.remind)[0]?.toDo).toContain('{sitesLeft}');
});
