import { expect, test } from 'vitest';
import { clerk } from '../kit/clerk.ts';
import { desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';

interface Planned {
  readonly commands: readonly string[];
  readonly warnings: readonly { readonly code: string; readonly sentence: string }[];
}

/** What `teller preview` says of a vote of Steve on `site` that earns each of these rewards, in order. */
async function previews(
  rewards: readonly object[],
  site = 'List',
  player = 'Steve',
): Promise<readonly Planned[]> {
  const one = desk({
    sites: { default: { token: TOKEN }, [site]: { label: 'My List' } },
    gameServers: { main: { kind: 'practice', version: '1.21.4' } },
    rewards: rewards.map((more, at) => ({ name: `r${at}`, when: 'always', ...more })),
  });
  const { json, err } = await one.run('preview', player, '--site', site, '--json');
  if (json === null) throw new Error(err);
  return json[0].grants;
}

const MESSAGES = [
  ['Thanks!', '{"text":"Thanks!"}'],
  ['&aThanks!', '{"text":"Thanks!","color":"green"}'],
  ['Hi &6&lgold&r plain', '["",{"text":"Hi "},{"text":"gold","color":"gold","bold":true},{"text":" plain"}]'],
  ['&lbold &cred', '["",{"text":"bold ","bold":true},{"text":"red","color":"red"}]'],
  ['&#FF8800warm', '{"text":"warm","color":"#ff8800"}'],
  ['Tom && Jerry & co &z', '{"text":"Tom & Jerry & co &z"}'],
  ['say "hi" \\o/', '{"text":"say \\"hi\\" \\\\o/"}'],
  ['&a&r', '{"text":""}'],
  [
    '&k&l&m&n&ox',
    '{"text":"x","obfuscated":true,"bold":true,"strikethrough":true,"underlined":true,"italic":true}',
  ],
] as const;

test('a message is rendered as the JSON of its colours and formats', async () => {
  const shown = await previews(MESSAGES.map(([message]) => ({ message })));
  expect(
    shown.map(({ commands }) => commands.map((each) => JSON.parse(each.replace('tellraw Steve ', '')))),
  ).toEqual(MESSAGES.map(([, json]) => [JSON.parse(json)]));
  expect(shown[0]?.commands).toEqual([`tellraw Steve ${MESSAGES[0][1]}`]);
});

test('a message has each of the 16 colours', async () => {
  const shown = await previews([...'0123456789abcdef'].map((code) => ({ message: `&${code}x` })));
  const names = shown.map(
    ({ commands: [line = ''] }) => JSON.parse(line.replace('tellraw Steve ', '')).color,
  );
  expect(new Set(names).size).toBe(16);
  expect([names[0], names[15]]).toEqual(['black', 'white']);
});

test('values in a message cannot leave its JSON', async () => {
  const [shown] = await previews([{ message: '&a{player}&r on {site} and {service}' }], 'a","b\\', '*Steve');
  const [line = ''] = shown?.commands ?? [];
  expect(line.startsWith('tellraw "*Steve" [')).toBe(true);
  expect(JSON.parse(line.slice(line.indexOf('[')))).toEqual([
    '',
    { text: '*Steve', color: 'green' },
    { text: ' on My List and ab' },
  ]);
});

/** Commands, and what is warned of in each. */
const WARNED: readonly (readonly [command: string, ...warnings: string[]])[] = [
  ['say {unknown} voted', 'placeholder-unknown {unknown}'],
  ['say %luckperms_prefix% {player}', 'placeholder-unknown %luckperms_prefix%'],
  ['tellraw @a {"text":"{rank} voted"}', 'placeholder-unknown {rank}'],
  ['say {rank} {rank} %rank%', 'placeholder-unknown {rank}', 'placeholder-unknown %rank%'],
  ['say {vote} {bestStreaks}', 'placeholder-unknown {vote}', 'placeholder-unknown {bestStreaks}'],
  ['say {random 6..1}', 'placeholder-unknown {random 6..1}'],
  ['say {random 1-6} {random}', 'placeholder-unknown {random 1-6}', 'placeholder-unknown {random}'],
  ['say {player} on {site} by {service} %player%'],
  ['say {votes} {streak} %bestStreak% {nextVote} {random -5..10}'],
  ['give {player} diamond_sword{Enchantments:[{id:sharpness,lvl:5}]} 1'],
  ['give {player} stick[custom_name={text:"a"}] 1'],
  ['tellraw @a {"text":"50% off, 20% more","extra":["100%"]}'],
  ['tellraw @a {"translate":"%s voted","with":["{player}"]}'],
  ['data merge entity @s {}'],
  ['say 100% {0} { a }'],
  ['say &6{player} &evoted', 'colour-code &6'],
  ['tellraw @a {"text":"&aThanks"}', 'colour-code &a'],
  ['minecraft:msg {player} &lhello', 'colour-code &l'],
  ['execute as {player} run say &cHi', 'colour-code &c'],
  ['title {player} title "&#ff8800Hi"', 'colour-code &#ff8800'],
  ['broadcast &6{player} voted'],
  ['essentials:msg {player} &6thanks'],
  ['msg {player} &6thanks'],
  ['say §6{player} voted'],
  ['say Tom&Ben and R&B, https://a.example/?x=1&b=2'],
  ['say rock & roll'],
];

test('unknown placeholders are warned of once, and colour codes that Minecraft prints as text; nothing else is', async () => {
  const shown = await previews(WARNED.map(([command]) => ({ commands: [command] })));
  const found = shown.map(({ warnings }, at) => {
    const written = (sentence: string): string =>
      WARNED[at]?.slice(1).find((each) => sentence.includes(each.split(/ (.*)/)[1] ?? '?')) ?? sentence;
    return warnings.map(({ code, sentence }) => written(sentence).replace(/^\S+/, code));
  });
  expect(found).toEqual(WARNED.map(([, ...warnings]) => warnings));
});

test.each([
  ['2026-05-01', '2026-05-01T00:00:00.000Z'],
  ['2026-05-01T12:30', '2026-05-01T12:30:00.000Z'],
  ['2026-05-01T12:30:05.250Z', '2026-05-01T12:30:05.250Z'],
  ['2026-05-01T12:30+02:00', '2026-05-01T10:30:00.000Z'],
  ...['yesterday', '2026-13-01', '2026-05-01 12:30', '1780315200', '2026-05-01T25:00'].map((no) => [
    no,
    null,
  ]),
])('the time %j of a command is %s, in UTC if no zone is named; null: it is none', async (text, castAt) => {
  const words = ['votes', 'add', '--player', 'Steve', '--site', 'List', '--json', '--at', String(text)];
  const { exit, err, json } = await clerk().run(...words);
  if (castAt === null) expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
  else expect(json).toMatchObject([{ castAt }]);
});
