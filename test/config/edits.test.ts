import { chownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { desk, typing } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A config with this text, which commands change. */
function written(text: string, name = 'config.json') {
  const one = desk({ rewards: [] });
  const config = join(one.folder, name);
  writeFileSync(config, text, { mode: 0o600 });
  const { run } = typing({ ...one, config }, one.clock);
  return { ...one, config, run, text: () => readFileSync(config, 'utf8') };
}

/** The file after `sites add B.com`. */
async function added(before: string, name?: string): Promise<string> {
  const { run, text } = written(before, name);
  const { err } = await run('sites', 'add', 'B.com', '--yes');
  expect(err).not.toContain('error');
  return text();
}

/** In a file after `sites add B.com`, what it has added is between « and », and every other character stays. */
async function expectAdded(marked: string, name?: string): Promise<void> {
  expect(await added(marked.replaceAll(/«[^»]*»/g, ''), name)).toBe(marked.replaceAll(/[«»]/g, ''));
}

const LONG = `"A.com": { "token":  "file:${'x'.repeat(90)}" }`;

const TO_JSON = {
  'after the last one, with its indentation':
    '{\n\t"//": "mine",\n\t"sites": {\n\t\t"//": "x",\n\t\t"A.com": {   }«,\n\t\t"B.com": {}»\n\t},\n\t"keys":  "k"\n}\n',
  'on the same line if all entries are on one line':
    '{ "sites": { "default": { "cooldown": "24h" }«, "B.com": {}» }, "keys": "k" }',
  'to an empty object': '{\n  "sites": {« "B.com": {} »}\n}',
  'with the line endings of the file': '{"sites": {\r\n  "a": {}«,\r\n  "B.com": {}»\r\n}}',
  'after a BOM': '\uFEFF{"sites": {"a": {}«, "B.com": {}»}}',
  'below the comment of the last entry':
    '{\n  "sites": {\n    "A.com": {}«,» // mine\n«    "B.com": {}\n»    // "C.com": {}\n  }\n}\n',
  'and the comma after the last entry stays last':
    '{\n  "sites": {\n    "A.com": {}, // mine\n«    "B.com": {},\n»  },\n}\n',
  'after a comma on the next line': '{"sites": {\n  "A.com": {} // mine\n  , // odd\n«  "B.com": {},\n»}}',
  'on one line with a comment and a comma': '{"sites": { "A.com": {} /* mine */,« "B.com": {},» }}',
  'behind the comment in one line': '{"sites": { "A.com": {} /* mine */«, "B.com": {}» }}',
  'on the line after a comment that ends with its line':
    '{\n  "sites": { "A.com": {}«,» // mine\n«    "B.com": {}\n»  }\n}',
  'to an object that has only a comment': '{\n  "sites": {\n    // none yet\n«    "B.com": {}\n»  }\n}',
  'to an object that has only a comment on its line': '{ "sites": { /* none yet */« "B.com": {}» } }',
  'to a long line that has a comment, without moving it': `{"sites": { ${LONG} /* mine */«, "B.com": {}» }}`,
};
test.each(Object.entries(TO_JSON))('an entry is added to JSON %s', async (_, marked) => {
  await expectAdded(marked);
});

test('an entry is added to JSON on its own line if the line would get too long, without changing the other entries', async () => {
  expect(await added(`{\n  "sites": { "//": "y", ${LONG} },\n  "keys": "k"\n}\n`)).toBe(
    `{\n  "sites": {\n    "//": "y",\n    ${LONG},\n    "B.com": {}\n  },\n  "keys": "k"\n}\n`,
  );
});

test('an entry is added to JSON to a config without the section', async () => {
  expect(JSON.parse(await added('{ "keys": "k" }'))).toEqual({ keys: 'k', sites: { 'B.com': {} } });
});

test('a name that could be read as something else is written printably', async () => {
  const one = written('{"sites": {"x": {}}}');
  await one.run('sites', 'add', 'a"\u202E\u0000', '--yes');
  expect(Object.keys(JSON.parse(one.text()).sites)).toEqual(['x', 'a"\u202E\u0000']);
  expect(one.text()).not.toContain('\u202E');
});

const FILE = '"file:data/secrets/b.token"';

test.each([
  [
    '\uFEFF{\r\n    "sites": {\r\n        "a": {},\r\n        "b": { "token": "x" } // mine\r\n    }\r\n}\r\n',
    '"x"',
    FILE,
  ],
  [
    '{\n  "sites": {\n    "default": { "token": "d" }, // mine\n    "b": {},\n  },\n}\n',
    '"b": {}',
    `"b": { "token": ${FILE} }`,
  ],
])('a value is set, and every other character of %j stays', async (before, old, value) => {
  const { run, text } = written(before);
  await run('keys', 'rotate', 'token', 'b', '--yes');
  expect(text()).toBe(before.replace(old, value));
});

test('an entry gets another key in its place', async () => {
  const server = '{ "kind": "practice" }';
  const one = written(`{ "rewards": [], "gameServers": { "a": ${server}, /* b */ "b": ${server} } }`);
  const password = join(temporaryFolder({ password: 'a-real-password\n' }), 'password');
  const flags = ['--replace', 'b', '--password-file', password, '--no-try', '--yes'];
  expect(await one.run('game-servers', 'add', 'c-d', ...flags)).toMatchObject({ exit: 0 });
  expect(one.text()).toMatch(/"a": .*\/\* b \*\/\s*"c-d": \{/s);
  expect(one.text()).not.toContain('"b"');
});

test('the target of a symbolic link is rewritten, and keeps its permissions', async () => {
  const one = written('{}', 'real.json');
  const link = join(one.folder, 'link.json');
  symlinkSync('real.json', link);
  await typing({ ...one, config: link }, one.clock).run('sites', 'add', 'B.com', '--yes');
  expect(JSON.parse(one.text())).toEqual({ sites: { 'B.com': {} } });
  expect(statSync(link).mode & 0o777).toBe(0o600);
});

test('a change is shown with secrets masked, but not references to them and addresses', async () => {
  const url = 'https://discord.com/api/webhooks/123/hunter2';
  const config = {
    alarms: { url },
    events: [{ url: 'https://example.com/hunter2', on: ['party'], secret: 'hunter2' }],
    sites: {
      default: { token: 'hunter2' },
      a: {
        token: 'file:t',
        url: 'https://a.example/vote',
        webhook: { path: '/a', secret: 'hunter2', listingId: 'l' },
      },
    },
    gameServers: {
      m: { kind: 'rcon', password: 'env:P' },
      n: { kind: 'rcon', password: 'hunter2' },
      h: { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'hunter2' },
      v: { kind: 'votifier', port: 9, token: 'hunter2' },
      p: { kind: 'pterodactyl', url: 'https://panel.example', server: '1a7ce997', apiKey: 'hunter2' },
    },
    rewards: [],
  };
  const { out } = await written(JSON.stringify(config)).run('sites', 'add', 'B.com', '--yes');
  expect(out).not.toContain('hunter2');
  expect(out.split('"(secret)"')).toHaveLength(2 * 9 + 1);
  for (const shown of ['file:t', 'env:P', 'https://a.example/vote']) expect(out).toContain(shown);
});

const TO_YAML = {
  'adds an entry below the comment of the last one':
    '# mine\nsites:\n    default:\n        token: "t"   # v2\n«    B.com: {}\n»    # A.com: {}\n\nkeys: k # here\n',
  'adds one at the end of a file without a line break': 'sites:\n  a: {}«\n  B.com: {}\n»',
  'adds one with the line breaks of the file': 'sites:\r\n  a: {}\r\n«  B.com: {}\r\n»',
  'adds one after a text of many lines':
    'sites:\n  a:\n    "//": |\n      one\n\n      two\n«  B.com: {}\n»keys: k\n',
  'adds one inside braces': 'sites: { a: {}«, B.com: {}» } # all\n',
  'adds one to empty braces': 'sites: {« B.com: {} »}\n',
  'adds the section': '# mine\nkeys: k\n«sites: { "B.com": {} }\n»',
};
test.each(Object.entries(TO_YAML))('an edit of YAML %s', async (_, marked) => {
  await expectAdded(marked, 'teller.yml');
});

test('an edit of YAML puts a name in quotes that YAML would read as something else', async () => {
  const names = ['1.10', 'no: \u202E'];
  const one = written('sites:\n  a: {}\n', 'teller.yml');
  for (const name of names) await one.run('sites', 'add', name, '--yes');
  const { config } = await examineText(one.text(), one.config, { env: {} });
  expect([...(config?.sites.keys() ?? [])].filter((name) => name !== 'default')).toEqual(['a', ...names]);
  expect(one.text()).not.toContain('\u202E');
});

test('an edit of YAML sets a value and leaves the rest of the line, and every other line', async () => {
  const before =
    'listener:\n  port: 1 # mine\n  protocols:\n    - v1\nsites:\n  a:\n    token: old # why\n  b: {}\n';
  const one = written(before, 'teller.yml');
  await one.run('keys', 'rotate', 'token', 'a', '--yes');
  expect(one.text()).toBe(before.replace('old', '"file:data/secrets/a.token"'));
});

test('an edit of YAML is shown with secrets masked, but not references to them', async () => {
  const text =
    'sites:\n  a: { token: hunter2 } # mine\n  b:\n    token: file:t\n    api: { baseUrl: "https://a.example", token: "hunter2" }\n';
  const { out } = await written(text, 'teller.yml').run('sites', 'add', 'B.com', '--yes');
  expect(out).not.toContain('hunter2');
  expect(out).toContain('+   B.com: {}');
});

test('files that a killed process left beside the config are in nobody’s way', async () => {
  const one = written('{"sites": {"b": {}}}');
  for (const end of ['draft', 'old']) writeFileSync(`${one.config}.${process.pid}.${end}`, 'left');
  await one.run('keys', 'rotate', 'token', 'b', '--yes');
  expect(JSON.parse(one.text())).toEqual({ sites: { b: { token: 'file:data/secrets/b.token' } } });
});

test.runIf(process.getuid?.() === 0)('a file that root replaces keeps its owner', async () => {
  const one = written('{"rewards": []}');
  chownSync(one.config, 12_345, 12_346);
  await one.run('sites', 'add', 'B.com', '--yes');
  expect(statSync(one.config)).toMatchObject({ uid: 12_345, gid: 12_346 });
});
