import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { serviceNameOf } from '../../src/core/service-name.ts';
import { RefusalFigures } from '../../src/votes/intake/refusal-figures.ts';
import { matchSite } from '../../src/votes/intake/sites.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { silentLog } from '../support/log.ts';
import { Seeded } from '../support/seeded.ts';
import { type Operator, operator, refusal } from './operator.ts';

const NOW = '2026-06-01T12:00:00Z';

/** Names that any sender may use, including those that are hard to write in JSON. */
function names(count: number): readonly string[] {
  const random = new Seeded(41);
  const letters = 'aZ09 ._-"\'\\/{}[]:,\t\r\n\0\u001b\u0085\u200d\u202e\u2028\ufeffßé日本語🎮👩\ud800';
  const fixed = [
    '',
    '日本',
    '名前',
    'a"b',
    'a\\"b',
    'a\\b',
    ' padded ',
    'x'.repeat(128),
    '//comment',
    '$schema',
  ];
  const odd = ['default', '__proto__', 'constructor', 'y'.repeat(65), `${'z'.repeat(127)}🎮`];
  const drawn = Array.from({ length: count }, () => random.text(1 + random.below(100), letters));
  return [...fixed, ...odd, ...drawn];
}

/** The names that cannot be the key of an entry. */
const cannotBeListed = (name: string): boolean =>
  ['default', '__proto__', '$schema'].includes(name) || name.startsWith('//') || name.length > 128;

/** Counts a refused v2 vote for each of these names, like the listener without a token for them. */
async function refuse({ ledger, clock }: Operator, services: readonly string[]): Promise<void> {
  for (const [n, service] of services.entries()) {
    const figures = new RefusalFigures(ledger, new FakeClock(clock.now()), silentLog, []);
    figures.count('v2-unknown-service', service, `10.0.${n >> 8}.${n & 255}`);
    await figures.store();
  }
}

/** The lines below "add to `sites`", put into the config as they are printed. */
async function paste(one: Operator, entries: readonly string[]) {
  const { sites, ...config } = JSON.parse(readFileSync(one.config, 'utf8'));
  const rest = JSON.stringify(config).slice(1, -1);
  writeFileSync(one.config, `{"sites": {"default": {}, ${entries.join(', ')}}, ${rest}}`);
  return (await loadConfig(one.config)).sites;
}

const entriesIn = (text: string): readonly string[] => text.match(/^ {2}"(?:[^"\\]|\\.)*": \{\}/gm) ?? [];

describe('the entry printed for a service', () => {
  test('matches the service when it is pasted into the config, for any name that voted', async () => {
    const one = await operator();
    const sent = names(150);
    for (const [n, name] of sent.entries()) {
      if (serviceNameOf(name).length <= 128) await one.vote(`P${n}`, name, { at: NOW });
    }
    const { out } = await one.teller('sites', '--all');
    const sites = await paste(one, entriesIn(out));
    const unmatched = sent.filter((name) => !matchSite(sites, name).isListed);
    expect(unmatched.filter((name) => !cannotBeListed(serviceNameOf(name)))).toEqual([]);
  });

  test('matches the service when it is pasted into the config, for any name that was refused without a token', async () => {
    const one = await operator();
    const sent = names(60);
    await refuse(one, sent);
    const { out } = await one.teller('sites', '--all');
    const sites = await paste(one, entriesIn(out));
    const unmatched = sent.filter((name) => !matchSite(sites, name).isListed);
    expect(unmatched.filter((name) => !cannotBeListed(serviceNameOf(name)))).toEqual([]);
    expect(entriesIn(out).length).toBe(new Set(sent.map(serviceNameOf)).size - unmatched.length);
  });

  test('is the same in check and in --json', async () => {
    const one = await operator();
    for (const name of ['日本 "リスト"', `${'長'.repeat(100)}`]) {
      await one.vote('Steve', name, { at: NOW });
      const entry = `${JSON.stringify(name)}: {}`;
      expect((await one.teller('check', '--offline')).out).toContain(entry);
      expect(JSON.parse((await one.teller('sites', '--json')).out)).toContainEqual(
        expect.objectContaining({ service: name, toAdd: entry }),
      );
    }
  });
});

describe('a refusal from a service whose later votes were accepted', () => {
  const outcomeAfter = async (code: string) => {
    const one = await operator({ sites: { default: {}, 'My-List.com': {} } });
    await one.ledger.countRefusals([refusal(code, 'My-List.com', '2026-06-01T10:00:00Z')]);
    await one.vote('Steve', 'My-List.com', { at: '2026-06-01T11:00:00Z' });
    const findings: { code: string; mark: string }[] = JSON.parse(
      (await one.teller('check', '--offline', '--json')).out,
    );
    const { out } = await one.teller('sites');
    const mark = findings.find((finding) => finding.code === 'refusals')?.mark;
    // Each refusal has a line with its cause; a second line says that it is probably fixed.
    return { mark, isCalledFixed: out.match(/^ {4}\S/gm)?.length === 2 };
  };

  test.each([
    'v2-signature',
    'v2-unknown-service',
    'site-protocol',
    'ledger-unable',
    'webhook-signature-wrong',
  ])('is reported as probably fixed for the code %s', async (code) => {
    expect(await outcomeAfter(code)).toEqual({ mark: 'ok', isCalledFixed: true });
  });

  test.each([
    ...['name-not-allowed', 'name-too-long', 'name-unknown-prefix', 'v2-payload-username'],
    ...['site-address', 'webhook-name-not-allowed', 'api-name-too-long'],
  ])(
    'is not reported as fixed for the code %s, because another vote proves nothing about it',
    async (code) => {
      expect(await outcomeAfter(code)).toEqual({ mark: 'warning', isCalledFixed: false });
    },
  );
});

test('a name refused only for its prefix is shown with the key players.bedrockPrefixes', async () => {
  const one = await operator({ players: { bedrockPrefixes: ['.'] } });
  await expect(one.vote('!Steve', 'List')).rejects.toThrow('name-unknown-prefix');
  await one.ledger.countRefusals([refusal('name-unknown-prefix', 'List', '2026-06-01T10:00:00Z')]);
  expect((await one.teller('sites')).out).toContain('players.bedrockPrefixes');
  await expect(one.vote('@a', 'List')).rejects.toThrow('name-not-allowed');
  await expect(one.vote('!@a', 'List')).rejects.toThrow('name-not-allowed');
});
