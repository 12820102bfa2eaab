import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gameServersCommand } from '../../src/commands/game-servers.ts';
import { loadConfig } from '../../src/config/load.ts';
import { usedConfig } from '../../src/main/parts.ts';
import { accountName } from '../../src/platform/account.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { judgeArrival } from '../../src/votes/intake/arrival.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator } from './operator.ts';
import { runCommand } from './run-command.ts';

const commands = ['say hi'];
const CONFIG = {
  sites: { default: { token: TOKEN }, 'My-List.com': {} },
  gameServers: { main: { kind: 'practice' } },
  rewards: [
    { name: 'each-vote', commands, limit: { per: 'player', count: 1, within: 'ever' } },
    { name: 'first', if: { firstVote: true }, commands },
    { name: 'daily', if: { firstVote: 'day' }, commands },
    { name: 'streak', if: { streak: 2 }, commands },
  ],
};
const REAL = { main: { kind: 'rcon', port: 25575, password: 'a-real-password' } };

/** The config of the file runs from now on, as after a start or a reload. */
async function runs({ config, ledger, clock }: Operator): Promise<void> {
  await ledger.useConfig(usedConfig(await loadConfig(config, { missingSecrets: 'defer' }), clock));
}

/** A vote as the listener gets it from an address. */
async function voteFrom(one: Operator, address: string, username: string, at: string): Promise<string> {
  one.clock.set(at);
  const loaded = await loadConfig(one.config, { missingSecrets: 'defer' });
  const wire = { serviceName: 'My-List.com', username, address: '', timestamp: String(one.clock.now()) };
  const received = { wire, channel: 'listener-v2', address, receivedAt: one.clock.now() } as const;
  const judged = judgeArrival(
    { ...received, blockDigest: null, text: '{}' },
    loaded.sites,
    loaded.players.bedrockPrefixes,
  );
  if (typeof judged === 'string') throw new Error(judged);
  const rules = rulesOf(loaded, one.clock.zone);
  const recorded = await one.ledger.record({ ...judged, draws: { kind: 'drawn', seed: 0.5 }, rules }, null);
  return recorded.kind === 'new' ? recorded.decision.kind : recorded.kind;
}

/** Steve is tried from this machine on two days, and Alex votes from outside, while the game server is a practice one. */
async function practised(): Promise<Operator> {
  const one = await operator(CONFIG);
  await runs(one);
  await voteFrom(one, '127.0.0.1', 'Steve', '2026-05-31T12:00:00Z');
  await voteFrom(one, '::1', 'Steve', '2026-06-01T12:00:00Z');
  await voteFrom(one, '::1', 'Steve', '2026-06-01T12:01:00Z');
  await voteFrom(one, '198.51.100.7', 'Alex', '2026-06-01T12:02:00Z');
  return one;
}

async function addReal(one: Operator, ...words: string[]) {
  const terminal = fakeTerminal(false);
  const tools = { clock: one.clock, random: systemRandom };
  const command = gameServersCommand(
    terminal,
    tools,
    async () => false,
    async () => null,
  );
  const password = join(temporaryFolder({ password: 'a-real-password\n' }), 'password');
  const flags = ['--password-file', password, '--no-try', '--config', one.config, ...words];
  return runCommand(command, terminal, ['add', 'main', '--replace', 'main', ...flags]);
}

const practiceFindings = async (one: Operator) =>
  JSON.parse((await one.teller('check', '--offline', '--json')).out).filter(
    ({ code }: { code: string }) => code === 'practice-votes',
  );

const rewardsNow = async (one: Operator, player: string) => {
  const { out } = await one.teller('preview', player, '--site', 'My-List.com', '--json');
  const [{ decision, rewards }] = JSON.parse(out);
  return [
    decision,
    ...rewards.flatMap((each: { reward: string; code: string }) =>
      each.code === 'granted' ? each.reward : [],
    ),
  ];
};

describe('the first real game server', () => {
  test('voids the votes that were tried from this machine, and says how many from outside stay', async () => {
    const one = await practised();
    expect(await rewardsNow(one, 'Steve')).toEqual(['cooldown']);
    const { exit, out } = await addReal(one, '--json');
    expect([exit, JSON.parse(out)]).toMatchObject([0, [{ practiceVotes: { voided: 3, fromOutside: 1 } }]]);
    expect(await rewardsNow(one, 'Steve')).toEqual(['rewarded', 'each-vote', 'first', 'daily']);
    expect(await rewardsNow(one, 'Alex')).toEqual(['cooldown']);
    const { out: explained } = await one.teller('explain', 'Steve', '--json');
    const by = accountName();
    expect(JSON.parse(explained)).toMatchObject([
      { id: 1, decision: 'practice', voided: { by } },
      { id: 2, decision: 'practice', voided: { by } },
      { id: 3, decision: 'practice', voided: { by } },
    ]);
    expect(JSON.parse((await one.teller('explain', 'Alex', '--json')).out)).toMatchObject([{ voided: null }]);
    const { out: found } = await one.teller('votes', '--decision', 'practice', '--json');
    expect(JSON.parse(found)).toMatchObject([{ id: 3 }, { id: 2 }, { id: 1 }]);
    expect((await one.teller('explain', 'Steve')).out).toContain('practice: it was sent from this machine');
    expect((await one.teller('votes', 'reward', '1', '--yes')).err).toContain('[vote-voided]');
  });

  test('leaves the counts right, and lets what was tried be earned again', async () => {
    const one = await practised();
    const { err } = await addReal(one);
    expect(err.split('\n')).toContainEqual(naming('3 votes', '1 vote', 'outside'));
    expect(JSON.parse((await one.teller('check', '--offline', '--deep', '--json')).out)).toContainEqual(
      expect.objectContaining({ code: 'counts', mark: 'ok' }),
    );
    await runs(one);
    expect(await voteFrom(one, '198.51.100.8', 'Steve', '2026-06-01T13:00:00Z')).toBe('rewarded');
    expect(await voteFrom(one, '198.51.100.8', 'Steve', '2026-06-02T13:00:00Z')).toBe('rewarded');
    const grants = (await one.ledger.grants({ recipient: 'steve', limit: 99 })).filter(
      ({ practice }) => !practice,
    );
    expect(grants.map(({ reward, occasion }) => `${reward} ${occasion}`.trim()).toSorted()).toEqual([
      'daily day 2026-06-01 total 1',
      'daily day 2026-06-02 total 1',
      'each-vote',
      'first total 1',
      'streak streak 2 reached 2026-06-02',
    ]);
  });

  test('does so once for each ledger, and not where a real one was there before', async () => {
    const one = await practised();
    await addReal(one);
    await runs(one);
    await voteFrom(one, '127.0.0.1', 'Zoe', '2026-06-01T13:00:00Z');
    writeConfig(one.config, CONFIG);
    await runs(one);
    await voteFrom(one, '127.0.0.1', 'Ben', '2026-06-01T14:00:00Z');
    const { out } = await addReal(one, '--json');
    expect(JSON.parse(out)).toMatchObject([{ practiceVotes: { voided: 0 } }]);
    expect(await rewardsNow(one, 'Zoe')).toEqual(['cooldown']);
    expect(await practiceFindings(one)).toEqual([]);
    const real = await operator({ ...CONFIG, gameServers: REAL });
    await runs(real);
    await voteFrom(real, '127.0.0.1', 'Steve', '2026-06-01T12:00:00Z');
    expect(await practiceFindings(real)).toEqual([]);
    const { out: none } = await real.teller('votes', 'void', '--practice', '--yes', '--json');
    expect(JSON.parse(none)).toEqual([{ voided: 0, fromOutside: 0 }]);
    expect(await rewardsNow(real, 'Steve')).toEqual(['cooldown']);
  });
});

describe('a config that is written by hand', () => {
  test('has a finding with the command that voids them, which asks first', async () => {
    const one = await practised();
    expect(await practiceFindings(one)).toEqual([]);
    expect((await one.teller('votes', 'void', '--practice', '--yes')).err).toContain('[practice-only]');
    writeConfig(one.config, { ...CONFIG, gameServers: REAL });
    await runs(one);
    await voteFrom(one, '127.0.0.1', 'Zoe', '2026-06-01T13:00:00Z');
    expect(await practiceFindings(one)).toMatchObject([
      { mark: 'warning', sentence: naming('3 votes'), toDo: naming('`teller votes void --practice`') },
    ]);
    const no = await one.tellerAsked({ interactive: true, answer: false }, 'votes', 'void', '--practice');
    expect(no.err).toContain('[not-confirmed]');
    const { out, exit } = await one.teller('votes', 'void', '--practice', '--yes', '--json');
    expect([exit, JSON.parse(out)]).toEqual([0, [{ voided: 3, fromOutside: 1 }]]);
    expect(await practiceFindings(one)).toEqual([]);
    expect(await rewardsNow(one, 'Steve')).toEqual(['rewarded', 'each-vote', 'first', 'daily']);
    expect(await rewardsNow(one, 'Zoe')).toEqual(['cooldown']);
  });

  test('after a kill in the middle, the same command voids the rest', async () => {
    const one = await practised();
    for (let each = 0; each < 150; each++)
      await voteFrom(one, '127.0.0.1', `P${each}`, '2026-06-01T14:00:00Z');
    writeConfig(one.config, { ...CONFIG, gameServers: REAL });
    await runs(one);
    await one.ledger.voidPracticeVotes({ by: 'ann', reason: 'practice' }, one.clock.now());
    expect(await practiceFindings(one)).toMatchObject([{ sentence: naming('53 votes') }]);
    const { out } = await one.teller('votes', 'void', '--practice', '--yes', '--json');
    expect(JSON.parse(out)).toEqual([{ voided: 53, fromOutside: 1 }]);
    expect(await practiceFindings(one)).toEqual([]);
  });
});
