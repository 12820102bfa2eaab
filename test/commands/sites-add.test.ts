import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sitesCommand } from '../../src/commands/sites.ts';
import { loadConfig } from '../../src/config/load.ts';
import { serviceNameOf } from '../../src/core/service-name.ts';
import { startApp } from '../../src/main/app.ts';
import { KNOWN_LISTS } from '../../src/operator/sites/known-lists.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { canBeListed } from '../../src/votes/intake/sites.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { controlledApp } from '../support/controlled.ts';
import { testEnvironment } from '../support/environment.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { naming } from '../support/naming.ts';
import { arrival } from '../support/votes.ts';
import { type Operator, operator } from './operator.ts';
import { runCommand } from './run-command.ts';

const TEXT = `{
  "//": "mine",
  "listener": { "host": "127.0.0.1",   "port": 0 },
  "sites": {
    "default": { "token": "hunter2-of-the-config" },
    "Listed.net": { "label": "Listed" }
  }
}
`;

/** An operator with a handwritten config and a ledger with votes of these services. */
async function scene(votes: Readonly<Record<string, 'listener-v1' | 'listener-v2'>> = {}): Promise<Operator> {
  const one = await operator({ sites: { default: { token: 'hunter2-of-the-config' } } });
  writeFileSync(one.config, TEXT);
  chmodSync(one.config, 0o640);
  for (const [service, channel] of Object.entries(votes)) {
    await record(one.ledger, [arrival({ service, channel })], rulesFor(THANKS));
  }
  return one;
}

const textOf = ({ config }: Operator) => readFileSync(config, 'utf8');

describe('sites add', () => {
  test('adds a proven name, prints the lines that change, and leaves the rest of the file alone', async () => {
    const one = await scene({ 'My-List.com': 'listener-v2' });
    const { out, exit } = await one.teller('sites', 'add', 'My-List.com');
    expect([exit, one.asked]).toEqual([0, []]);
    expect(out.split('\n')).toEqual([
      '-     "Listed.net": { "label": "Listed" }',
      '+     "Listed.net": { "label": "Listed" },',
      '+     "My-List.com": {}',
    ]);
    expect(textOf(one)).toBe(TEXT.replace('"Listed" }', '"Listed" },\n    "My-List.com": {}'));
    expect([...(await loadConfig(one.config)).sites.keys()]).toEqual([
      'default',
      'Listed.net',
      'My-List.com',
    ]);
    expect(statSync(one.config).mode & 0o777).toBe(0o640);
  });

  test('adds a name to a YAML config and keeps its comments', async () => {
    const one = await scene({ 'My-List.com': 'listener-v2' });
    const file = one.config.replace('.json', '.yml');
    const text =
      '# mine\nsites:\n  default: { token: hunter2-of-the-config } # all others\n\nkeys: data/keys\n';
    writeFileSync(file, text);
    const terminal = fakeTerminal();
    const command = sitesCommand(terminal, one.clock, async () => false);
    const { out, exit } = await runCommand(command, terminal, ['add', 'My-List.com', '--config', file]);
    expect([exit, out]).toEqual([0, '+   My-List.com: {}']);
    expect(readFileSync(file, 'utf8')).toBe(text.replace('others\n', 'others\n  My-List.com: {}\n'));
    expect([...(await loadConfig(file)).sites.keys()]).toEqual(['default', 'My-List.com']);
  });

  test('adds the page where players vote, also to a site that is already listed', async () => {
    const one = await scene({ 'My-List.com': 'listener-v2' });
    const url = 'https://my-list.com/vote';
    expect((await one.teller('sites', 'add', 'My-List.com', '--url', url)).exit).toBe(0);
    const moved = await one.teller('sites', 'add', 'Listed.net', '--url', `${url}?2`);
    expect([moved.exit, moved.err]).toEqual([0, naming('changed', 'Listed.net')]);
    const { sites } = await loadConfig(one.config);
    expect(['My-List.com', 'Listed.net'].map((name) => sites.get(name)?.url)).toEqual([url, `${url}?2`]);
    expect(sites.get('Listed.net')?.label).toBe('Listed');
    const again = await one.teller('sites', 'add', 'Listed.net', '--url', `${url}?2`);
    expect([again.out, again.err]).toEqual(['', naming('nothing to add')]);
  });

  test.each([
    ['an address that is none', ['My-List.com', '--url', 'my-list.com/vote']],
    ['one address for two names', ['My-List.com', 'Other.net', '--url', 'https://my-list.com/']],
  ])('refuses %s, and writes nothing', async (_, words) => {
    const one = await scene({ 'My-List.com': 'listener-v2' });
    const { exit, err } = await one.teller('sites', 'add', ...words);
    expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
    expect(textOf(one)).toBe(TEXT);
  });

  test('shows no secret if the whole config is on one line', async () => {
    const one = await scene({ 'My-List.com': 'listener-v2' });
    writeFileSync(one.config, JSON.stringify(JSON.parse(TEXT)));
    const { out, err } = await one.teller('sites', 'add', 'My-List.com');
    expect(out + err).not.toContain('hunter2');
    expect(out).toContain('"(secret)"');
    expect(textOf(one)).toContain('hunter2-of-the-config');
  });

  test('accepts a name as `sites` prints it, and a name that already has an entry', async () => {
    const one = await scene({ 'a\u202Eb': 'listener-v2' });
    const { exit } = await one.teller('sites', 'add', '"a\\u202eb"', 'Listed.net');
    expect(exit).toBe(0);
    expect((await loadConfig(one.config)).sites.has('a\u202Eb')).toBe(true);
    expect((await one.teller('sites', 'add', 'Listed.net')).out).toBe('');
  });

  test.each<[string, string[]]>([
    ['a name that would make the config wrong', ['x'.repeat(300)]],
    ['the name of all others', ['default']],
    ['no name at all', []],
  ])('exits 2 for %s, and writes nothing', async (_, words) => {
    const one = await scene();
    expect((await one.teller('sites', 'add', '--yes', ...words)).exit).toBe(2);
    expect(textOf(one)).toBe(TEXT);
  });
});

describe('an entry for a name that no signed v2 vote has proven', () => {
  const votes = { Forged: 'listener-v1' } as const;

  test.each(['Forged', 'Never-Seen.com'])(
    'is added only when the operator agrees to the risk: %s',
    async (name) => {
      const one = await scene(votes);
      const refused = await one.tellerAsked({ interactive: true, answer: false }, 'sites', 'add', name);
      expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('[not-confirmed]')]);
      expect(one.asked).toEqual([naming(name, /public key/)]);
      expect(textOf(one)).toBe(TEXT);
      await one.tellerAsked({ interactive: true, answer: true }, 'sites', 'add', name);
      expect((await loadConfig(one.config)).sites.has(name)).toBe(true);
    },
  );

  test('is asked about also after a signed vote if a listed name is spelt like it, which would be rewarded twice', async () => {
    const one = await scene({ 'LISTED.net': 'listener-v2' });
    for (const words of [['LISTED.net'], ['--proven'], ['Listed.nett']]) {
      const { exit } = await one.tellerAsked({ interactive: true, answer: false }, 'sites', 'add', ...words);
      expect([exit, textOf(one)]).toEqual([1, TEXT]);
    }
    const alike = naming('LISTED.net', 'Listed.net');
    expect(one.asked).toEqual([alike, alike, naming('Listed.nett', 'Listed.net')]);
    expect(await one.teller('sites', 'add', 'LISTED.net')).toMatchObject({ exit: 2 });
    expect(await one.teller('sites', 'add', 'LISTED.net', '--yes')).toMatchObject({ exit: 0 });
  });

  test('needs a confirmation of its own, or --yes without a terminal', async () => {
    const one = await scene({ ...votes, Other: 'listener-v1' });
    await one.tellerAsked({ interactive: true, answer: true }, 'sites', 'add', 'Forged', 'Other');
    expect(one.asked).toHaveLength(2);
    const two = await scene(votes);
    expect(await two.teller('sites', 'add', 'Forged')).toMatchObject({ exit: 2 });
    expect(textOf(two)).toBe(TEXT);
    expect(await two.teller('sites', 'add', 'Forged', '--yes')).toMatchObject({ exit: 0 });
  });
});

describe('the names that were seen', () => {
  const votes = { 'Signed.com': 'listener-v2', Forged: 'listener-v1', 'Listed.net': 'listener-v2' } as const;

  test('are listed with their proof, except those that have an entry', async () => {
    // The last two cannot have an entry: the config reads them as all services and as a comment.
    const others = { 'Teller test': 'listener-v2', default: 'listener-v2', '// x': 'listener-v2' } as const;
    const one = await scene({ ...votes, ...others });
    const { out, exit } = await one.teller('sites', 'add', '--seen', '--json');
    const rows = JSON.parse(out).map(({ service, proof, votes }: Record<string, unknown>) => [
      service,
      proof,
      votes,
    ]);
    expect(exit).toBe(0);
    expect(rows.sort()).toEqual([
      ['Forged', 'claimed', 1],
      ['Signed.com', 'signed', 1],
    ]);
    expect(textOf(one)).toBe(TEXT);
  });

  test('are added with --proven, without asking, only if they are proven', async () => {
    const one = await scene(votes);
    const { exit } = await one.teller('sites', 'add', '--proven');
    expect([exit, one.asked]).toEqual([0, []]);
    expect([...(await loadConfig(one.config)).sites.keys()]).toEqual(['default', 'Listed.net', 'Signed.com']);
  });

  test('count as proven by one signed vote among many that anyone could have sent', async () => {
    const one = await scene();
    const many = Array.from({ length: 50 }, (_, at) =>
      arrival({ service: 'Both', player: `P${at}`, channel: at === 7 ? 'listener-v2' : 'listener-v1' }),
    );
    await record(one.ledger, many, rulesFor(THANKS));
    expect([...(await one.ledger.signedServices(['Both', 'Neither']))]).toEqual(['Both']);
  });
});

test.each([[' default '], ['$schema'], ['//comment'], ['__proto__'], ['x'.repeat(129)]])(
  'the name %j, which the config would not read as a service, is wrong usage and not a config error',
  async (name) => {
    const one = await scene();
    const { exit, err } = await one.teller('sites', 'add', name, '--yes');
    expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
    expect(err).not.toContain('config-');
    expect(textOf(one)).toBe(TEXT);
  },
);

test('votes without a service name are marked as such', async () => {
  const one = await scene({ '': 'listener-v2' });
  expect((await one.teller('sites', 'add', '')).err).toEqual(naming(/\(no service name.*\)/));
});

describe('sites add while a Teller is running', () => {
  /** Runs `sites add` for that Teller; the person agrees to questions that match. */
  const sitesAdd = (config: string, agreesTo: RegExp, ...words: readonly string[]) => {
    const terminal = fakeTerminal(true);
    const command = sitesCommand(terminal, systemClock, async (question) => agreesTo.test(question));
    return runCommand(command, terminal, ['add', ...words, '--config', config]);
  };

  test('gives the new site its window at once', async () => {
    const { config, app } = await controlledApp();
    const { exit, out } = await sitesAdd(config, /My-List\.com/, 'My-List.com');
    expect([exit, out]).toEqual([0, naming(String(process.pid))]);
    expect(app.config.sites.has('My-List.com')).toBe(true);
  });

  test('reloads for an entry that the running Teller lacks, as after a kill before the reload, and asks about other changes alone', async () => {
    const { config, app } = await controlledApp();
    writeConfig(config, { sites: { default: { token: TOKEN }, 'My-List.com': {} } });
    const { exit, err, out } = await sitesAdd(config, /nothing/, 'My-List.com');
    expect([exit, err, out]).toEqual([0, naming('nothing to add'), naming(String(process.pid))]);
    expect(app.config.sites.has('My-List.com')).toBe(true);
    expect(await sitesAdd(config, /nothing/, 'My-List.com')).toMatchObject({ exit: 0, out: '' });

    writeConfig(config, { sites: { default: { token: TOKEN }, 'My-List.com': {}, 'Other.org': {} } });
    expect(await sitesAdd(config, /nothing/, 'My-List.com')).toMatchObject({ exit: 0, out: '' });
    expect((await sitesAdd(config, /nothing/, '--proven')).exit).toBe(1);
    expect(app.config.sites.has('Other.org')).toBe(false);
    expect((await sitesAdd(config, /reloads the config/, '--proven')).exit).toBe(0);
    expect(app.config.sites.has('Other.org')).toBe(true);
  });

  test('shows other changes in the file, and writes nothing unless the operator agrees', async () => {
    const { config, app } = await controlledApp();
    writeConfig(config, { rewards: [] });
    const changed = readFileSync(config, 'utf8');
    const { exit, err } = await sitesAdd(config, /My-List\.com/, 'My-List.com');
    expect([exit, err]).toEqual([1, expect.stringContaining('rewards')]);
    expect(readFileSync(config, 'utf8')).toBe(changed);
    expect((await sitesAdd(config, /./, 'My-List.com')).exit).toBe(0);
    expect([app.config.sites.has('My-List.com'), app.config.rewards]).toEqual([true, []]);
  });

  test('does not ask about other keys that need a restart, and exits 0', async () => {
    const { config, app } = await controlledApp();
    writeConfig(config, { keys: 'data/other-keys' });
    expect((await sitesAdd(config, /My-List\.com/, 'My-List.com')).exit).toBe(0);
    expect(app.config.sites.has('My-List.com')).toBe(true);
  });
});

describe('sites add for a list that is publicly known', () => {
  test('names its window and what its vote page looks like, and writes nothing that the entry inherits', async () => {
    const one = await scene({ 'MinecraftServers.org': 'listener-v2' });
    const { err } = await one.teller('sites', 'add', 'MinecraftServers.org');
    expect(err).toEqual(
      naming('minecraftservers.org', '24 h', 'https://minecraftservers.org/vote/…', '--url'),
    );
    expect(
      (await loadConfig(one.config)).settings.get('sites.MinecraftServers.org.cooldown'),
    ).toBeUndefined();
    expect(textOf(one)).toContain('"MinecraftServers.org": {}');
  });

  test('writes its window where `default` has another one', async () => {
    const one = await operator({ sites: { default: { token: TOKEN, cooldown: '12h' } } });
    const words = [
      'PlanetMinecraft.com',
      '--yes',
      '--json',
      '--url',
      'https://www.planetminecraft.com/server/mine/vote/',
    ];
    const { out } = await one.teller('sites', 'add', ...words);
    const written = { cooldown: '24h', url: 'https://www.planetminecraft.com/server/mine/vote/' };
    expect(JSON.parse(out)).toMatchObject([
      { known: [{ list: { domain: 'planetminecraft.com' }, written }] },
    ]);
    const site = (await loadConfig(one.config)).sites.get('PlanetMinecraft.com');
    expect([site?.cooldown, site?.url]).toEqual([{ kind: 'span', ms: 24 * 60 * 60 * 1000 }, written.url]);
  });

  test('by another spelling of its name says nothing', async () => {
    const { err } = await (await scene()).teller('sites', 'add', 'minecraftservers.ORG', '--yes');
    expect(err).not.toContain('known');
  });

  test('has facts with sources, and names that an entry can have', () => {
    for (const { service, domain, page, sources } of KNOWN_LISTS) {
      expect(sources.length, service).toBeGreaterThan(0);
      expect(canBeListed(service) && service === serviceNameOf(service), service).toBe(true);
      if (page !== null) expect(new URL(page).hostname.replace(/^www\./, ''), service).toBe(domain);
    }
    expect(new Set(KNOWN_LISTS.map(({ service }) => service)).size).toBe(KNOWN_LISTS.length);
  });
});

describe('sites add for a service whose votes waited for an entry', () => {
  /** Steve voted on One, and an hour later on Two. Neither is listed. */
  async function waiting() {
    const one = await operator({ sites: { default: { token: TOKEN } } });
    await one.vote('Steve', 'One', { at: '2026-06-01T10:00:00Z' });
    await one.vote('Steve', 'Two', { at: '2026-06-01T11:00:00Z' });
    one.clock.set('2026-06-01T12:00:00Z');
    return one;
  }

  const decisions = async ({ ledger }: Operator) =>
    (await ledger.votes({ limit: 9 })).map(({ service, decision }) => [service, decision]);

  test('says how many are paid at the next start, which pays them, and explain says so', async () => {
    const one = await waiting();
    const { exit, err } = await one.tellerAsked({}, 'sites', 'add', 'Two', '--yes');
    expect([exit, err]).toEqual([0, naming('1 vote', 'next starts')]);
    expect(await decisions(one)).toEqual([
      ['Two', 'unlisted'],
      ['One', 'rewarded'],
    ]);
    one.clock.set('2026-06-12T12:00:00Z');
    const app = await startApp(await loadConfig(one.config), testEnvironment(one.clock, silentLog));
    onTestFinished(() => app.close());
    await expect
      .poll(() => decisions(one))
      .toEqual([
        ['Two', 'rewarded'],
        ['One', 'rewarded'],
      ]);
    expect((await one.ledger.grants({ voteId: 2, limit: 9 })).length).toBeGreaterThan(0);
    const { out } = await one.teller('explain', 'Steve');
    expect(out.split('\n')).toContainEqual(
      naming('listed', '2026-06-12T12:00:00.000Z', 'Two', 'unlisted', 'vote 1'),
    );
    const [, two] = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(two.decidedAgain).toEqual({ at: '2026-06-12T12:00:00.000Z', takenBy: 1 });
  });

  test('pays them at once where Teller runs, also if the entry is written by hand', async () => {
    const one = await waiting();
    await one.vote('Steve', 'Three', { at: '2026-06-01T11:30:00Z' });
    const app = await startApp(await loadConfig(one.config), testEnvironment(one.clock, silentLog));
    onTestFinished(() => app.close());
    writeConfig(one.config, { sites: { default: { token: TOKEN }, Three: {} } });
    await app.reload(await loadConfig(one.config));
    await expect
      .poll(() => decisions(one))
      .toEqual([
        ['Three', 'rewarded'],
        ['Two', 'unlisted'],
        ['One', 'rewarded'],
      ]);
  });

  test('pays them at the next start if the entry was written by hand while Teller was stopped', async () => {
    const one = await waiting();
    writeConfig(one.config, { sites: { default: { token: TOKEN }, Two: {} } });
    const app = await startApp(await loadConfig(one.config), testEnvironment(one.clock, silentLog));
    onTestFinished(() => app.close());
    await expect
      .poll(() => decisions(one))
      .toEqual([
        ['Two', 'rewarded'],
        ['One', 'rewarded'],
      ]);
    expect((await one.ledger.grants({ voteId: 2, limit: 9 })).length).toBeGreaterThan(0);
  });

  test('prints with --json how many there are', async () => {
    const { out } = await (await waiting()).teller('sites', 'add', 'Two', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject([{ added: ['Two'], waiting: 1 }]);
  });
});

test('does not overwrite a config that changes while the operator is asked', async () => {
  const one = await scene();
  const terminal = fakeTerminal(true);
  const command = sitesCommand(terminal, one.clock, async () => {
    writeFileSync(one.config, `${TEXT}\n`);
    return true;
  });
  const { exit, err } = await runCommand(command, terminal, ['add', 'New.com', '--config', one.config]);
  expect([exit, err]).toEqual([1, expect.stringContaining('[config-changed]')]);
  expect(textOf(one)).toBe(`${TEXT}\n`);
});
