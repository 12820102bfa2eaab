import { expect, test } from 'vitest';
import { datapackFiles, FIGURES, type VoteLink } from '../../src/operator/datapack/files.ts';
import { layoutOf, NEWEST, OLDEST } from '../../src/operator/datapack/layout.ts';

const LINKS: readonly VoteLink[] = [
  { name: 'BlockRank', url: 'https://blockrank.example/vote/blocky' },
  { name: 'My List', url: 'http://list.example/?a=1&b=2' },
];

function filesFor(version: string, links = LINKS): ReadonlyMap<string, string> {
  const layout = layoutOf(version);
  if (layout === null) throw new Error(`${version} is not known`);
  return datapackFiles(layout, links);
}

const functionOf = (files: ReadonlyMap<string, string>, name: string): readonly string[] =>
  (
    files.get(`data/teller/function/${name}.mcfunction`) ??
    files.get(`data/teller/functions/${name}.mcfunction`) ??
    ''
  )
    .trimEnd()
    .split('\n');

test.each([
  ['1.16', { pack_format: 5 }],
  ['1.16.5', { pack_format: 6 }],
  ['1.18.1', { pack_format: 8 }],
  ['1.18.2', { pack_format: 9 }],
  ['1.19.4', { pack_format: 12 }],
  ['1.20.1', { pack_format: 15 }],
  ['1.20.4', { pack_format: 26 }],
  ['1.20.6', { pack_format: 41 }],
  ['1.21', { pack_format: 48 }],
  ['1.21.1', { pack_format: 48 }],
  ['1.21.3', { pack_format: 57 }],
  ['1.21.4', { pack_format: 61 }],
  ['1.21.5', { pack_format: 71 }],
  ['1.21.6', { pack_format: 80 }],
  ['1.21.8', { pack_format: 81 }],
  ['1.21.10', { min_format: [88, 0], max_format: [88, 0] }],
  ['1.21.11', { min_format: [94, 1], max_format: [94, 1] }],
  ['26.1', { min_format: [101, 1], max_format: [101, 1] }],
  ['26.1.2', { min_format: [101, 1], max_format: [101, 1] }],
])('the pack for %s has the format of that version', (version, format) => {
  const { pack } = JSON.parse(filesFor(version).get('pack.mcmeta') ?? '');
  expect(pack).toEqual({ description: 'Teller: vote links and figures', ...format });
});

test.each(['1.15.2', '1.8.9', '0.1', 'latest', '1.21.x', ''])('there is no pack for %s', (version) => {
  expect(layoutOf(version)).toBeNull();
});

test('from the oldest version to the newest, each has a pack', () => {
  expect([OLDEST, NEWEST]).toEqual(['1.16', '26.1']);
});

test('the pack for 1.20.4 has the folders and the click events of that time, and no dialog', () => {
  const files = filesFor('1.20.4');
  expect([...files.keys()]).toEqual([
    'pack.mcmeta',
    'data/minecraft/tags/functions/load.json',
    'data/minecraft/tags/functions/tick.json',
    'data/teller/functions/load.mcfunction',
    'data/teller/functions/each_second.mcfunction',
    'data/teller/functions/tick.mcfunction',
    'data/teller/functions/vote.mcfunction',
    'data/teller/functions/uninstall.mcfunction',
  ]);
  expect(functionOf(files, 'vote')).toEqual([
    'scoreboard players set @s vote 0',
    'scoreboard players enable @s vote',
    'tellraw @s {"text":"Vote for this server","bold":true}',
    'tellraw @s {"text":"BlockRank","color":"aqua","underlined":true,"clickEvent":{"action":"open_url","value":"https://blockrank.example/vote/blocky"}}',
    'tellraw @s {"text":"My List","color":"aqua","underlined":true,"clickEvent":{"action":"open_url","value":"http://list.example/?a=1&b=2"}}',
    'execute if score @s teller.votes matches 0.. run tellraw @s [{"text":"Votes in all: ","color":"gray"},{"score":{"name":"@s","objective":"teller.votes"},"color":"white"}]',
    'execute if score @s teller.month matches 0.. run tellraw @s [{"text":"Votes this month: ","color":"gray"},{"score":{"name":"@s","objective":"teller.month"},"color":"white"}]',
    'execute if score @s teller.rank matches 0.. run tellraw @s [{"text":"Place this month: ","color":"gray"},{"score":{"name":"@s","objective":"teller.rank"},"color":"white"}]',
  ]);
});

test('the pack for 1.21.4 has the new folder, and the click events of before', () => {
  const files = filesFor('1.21.4');
  expect(files.has('data/minecraft/tags/function/tick.json')).toBe(true);
  expect(functionOf(files, 'vote')[3]).toContain(
    '"clickEvent":{"action":"open_url","value":"https://blockrank',
  );
});

test.each(['1.21.6', '26.1'])('the pack for %s opens a dialog with a button for each site', (version) => {
  const files = filesFor(version);
  const vote = functionOf(files, 'vote');
  expect(vote[3]).toContain(
    '"click_event":{"action":"open_url","url":"https://blockrank.example/vote/blocky"}',
  );
  expect(vote.at(-1)).toBe('dialog show @s teller:vote');
  const dialog = JSON.parse(files.get('data/teller/dialog/vote.json') ?? '');
  expect([dialog.type, dialog.title, dialog.columns]).toEqual([
    'minecraft:multi_action',
    'Vote for this server',
    1,
  ]);
  expect(dialog.actions).toEqual([
    {
      label: { text: 'BlockRank' },
      width: 200,
      action: { type: 'minecraft:open_url', url: 'https://blockrank.example/vote/blocky' },
    },
    {
      label: { text: 'My List' },
      width: 200,
      action: { type: 'minecraft:open_url', url: 'http://list.example/?a=1&b=2' },
    },
  ]);
});

test('the trigger is there from the start, and enabled again every second', () => {
  const files = filesFor('1.21.4');
  expect(JSON.parse(files.get('data/minecraft/tags/function/load.json') ?? '')).toEqual({
    values: ['teller:load'],
  });
  expect(functionOf(files, 'load')).toEqual([
    'scoreboard objectives add vote trigger',
    'scoreboard objectives add teller.votes dummy',
    'scoreboard objectives add teller.month dummy',
    'scoreboard objectives add teller.rank dummy',
    'schedule function teller:each_second 1s',
  ]);
  expect(functionOf(files, 'each_second')).toEqual([
    'scoreboard players enable @a vote',
    'schedule function teller:each_second 1s',
  ]);
  expect(functionOf(files, 'tick')).toEqual(['execute as @a[scores={vote=1..}] run function teller:vote']);
});

test('`uninstall` removes all that `load` has made', () => {
  const files = filesFor('1.21.4');
  const added = functionOf(files, 'load').flatMap((line) => /objectives add (\S+)/.exec(line)?.[1] ?? []);
  const removed = functionOf(files, 'uninstall').flatMap(
    (line) => /objectives remove (\S+)/.exec(line)?.[1] ?? [],
  );
  expect(removed).toEqual(added);
  expect(functionOf(files, 'uninstall')[0]).toBe('schedule clear teller:each_second');
});

test.each([
  'x"}]\nop Steve',
  'back\\slash\\',
  '§kobfuscated',
  "'quoted'",
  '@a[limit=1]',
  '$(macro) $x',
  'é 漢字 😀',
])('a site named %j stays one text on one line', (name) => {
  for (const version of ['1.20.4', '1.21.6']) {
    const files = filesFor(version, [{ name, url: 'https://list.example/' }]);
    const vote = functionOf(files, 'vote');
    const [, text = ''] = /^tellraw @s (.*)$/.exec(vote[3] ?? '') ?? [];
    expect(JSON.parse(text).text).toBe(name);
    expect(vote).toHaveLength(version === '1.20.4' ? 7 : 8);
    expect(vote.some((line) => line.endsWith('\\') || line.startsWith('$'))).toBe(false);
  }
});

test('names of objectives fit versions before 1.18, which allow 16 characters', () => {
  for (const { objective } of FIGURES) expect(objective.length).toBeLessThanOrEqual(16);
});
