import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { typed } from '../kit/typed.ts';

interface Key {
  readonly key: string;
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
}

const keys: readonly Key[] = (await typed(['config', 'explain', '--json'], null)).json;
const schema = JSON.parse((await typed(['config', 'schema'], null)).out);
const started = JSON.parse(readFileSync(join(import.meta.dirname, '../../config.example.json'), 'utf8'));

const row = (key: string) => keys.find((found) => found.key === key);

test('lists every key once, with a type and a meaning', () => {
  expect(keys.length).toBeGreaterThan(40);
  for (const { key, type, meaning } of keys) {
    expect(type, key).not.toBe('');
    expect(meaning, key).toMatch(/\.$/);
  }
  expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
});

test('each duration says its bounds', () => {
  for (const { key, type } of keys)
    if (type.includes('duration'))
      expect(type, key).toMatch(/duration from \d+(ms|[smhd]) to \d+(ms|[smhd])/);
});

test.each([
  ['listener.deadline', (deadline: string) => ({ listener: { deadline } }), ['49ms', '6m']],
  [
    'sites.<service name>.cooldown',
    (cooldown: string) => ({ sites: { List: { cooldown } } }),
    ['500ms', '367d'],
  ],
])('the bounds of %s are those that a config is held to', async (key, config, beyond) => {
  const faultsOf = async (value: string) =>
    (await examineText(JSON.stringify(config(value)), '/config.json')).faults.map(({ code }) => code);
  const [, least = '', most = ''] = / from (\w+) to (\w+)/.exec(row(key)?.type ?? '') ?? [];
  expect([await faultsOf(least), await faultsOf(most)]).toEqual([[], []]);
  for (const value of beyond) expect(await faultsOf(value)).toEqual(['config-value']);
});

test('the JSON Schema allows comments and refuses unknown keys in every object except inside commands', () => {
  const comments = { '^(//|\\$schema$)': { type: 'string' } };
  const { listener, gameServers, rewards } = schema.properties;
  const [reward, firstOf] = rewards.items.anyOf;
  for (const section of [schema, listener, gameServers.additionalProperties.oneOf[0], reward, firstOf]) {
    expect(section).toMatchObject({ additionalProperties: false, patternProperties: comments });
  }
  expect(gameServers.patternProperties).toEqual(comments);
  const [, parts] = reward.properties.commands.items.anyOf;
  expect(parts.items.anyOf[1].additionalProperties).toEqual({});
});

test('the JSON Schema describes values as operators write them', () => {
  expect(schema.properties.listener.properties.deadline).toEqual({
    description: row('listener.deadline')?.meaning,
    default: '5s',
    type: 'string',
    pattern: '^(\\d{1,9})(ms|s|m|h|d)$',
    title: 'duration from 50ms to 5m',
  });
  expect(schema.required).toBeUndefined();
});

/** A config in which this key has this value, and what is around it is there. */
function configWith(key: string, value: unknown): object {
  const steps = key
    .replaceAll('[]', '.0')
    .replaceAll(/<[^>]+>/g, 'main')
    .split('.');
  const config = steps.reduceRight<unknown>(
    (inside, step) => (step === '0' ? [inside] : { [step]: inside }),
    value,
  ) as { gameServers?: { main?: object } };
  const server = config.gameServers?.main;
  if (server !== undefined && steps.length > 2) Object.assign(server, { kind: 'practice' });
  return config;
}

const faultsAt = async (key: string, value: unknown) => {
  const { faults } = await examineText(JSON.stringify(configWith(key, value)), '/config.json');
  const at = key.replaceAll('[]', '[0]').replaceAll(/<[^>]+>/g, 'main');
  return faults.filter(({ path }) => path.startsWith(at));
};

// The keys whose sentence names all ways to write the value, which may be a list.
const WAYS = /whereOnline|must be a key of `sites`|must be two dates/;

test.each(
  keys.filter(({ type }) => /^(object$|list of|votes$|prizes$|if$)/.test(type)).map(({ key }) => key),
)('the fault of %s, if it is a number, shows a value that is right there', async (key) => {
  const [fault] = await faultsAt(key, 5);
  if (WAYS.test(fault?.sentence ?? '')) return;
  const [, example = 'null'] = /, such as (.*)$/.exec(fault?.sentence ?? '') ?? [];
  expect(fault).toMatchObject({ code: 'config-value', sentence: expect.stringMatching(/such as [[{]/) });
  const left = await faultsAt(key, JSON.parse(example));
  // The example names a site that this config does not have.
  expect(left.filter(({ code }) => code !== 'config-unknown-name')).toEqual([]);
});

test.each([
  ['gameServers.<name>', started.gameServers.main],
  ['rewards[]', started.rewards[0]],
  ['rewards[].commands', started.rewards[0].commands],
  ['listener.port', started.listener.port],
  ['keys', started.keys],
])('the fault of %s, if it is of another kind, shows what a first start writes', async (key, example) => {
  const [fault] = await faultsAt(key, true);
  const [, shown = 'null'] = /, such as (.*)$/.exec(fault?.sentence ?? '') ?? [];
  expect(JSON.parse(shown)).toEqual(example);
});
