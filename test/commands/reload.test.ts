import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';

const DIAMOND = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const EMERALD = [{ name: 'daily', commands: ['give {player} emerald 1'] }];

/** It runs with diamonds, and its file has emeralds. */
async function withOlderConfig(): Promise<Here> {
  const teller = await here({ rewards: DIAMOND });
  rewrite(teller, { rewards: EMERALD });
  return teller;
}

describe('reload', () => {
  test('prints what each process applied and what needs a restart, and exits 1 if anything needs a restart', async () => {
    const teller = await here({ rewards: DIAMOND });
    const applied = await teller.reload({ rewards: EMERALD });
    expect([applied.exit, applied.out]).toEqual([0, naming('rewards.daily.commands', 'changed')]);
    const restart = await teller.reload({ rewards: EMERALD, keys: 'data/other-keys' });
    expect([restart.exit, restart.out.split('\n')[1]]).toEqual([1, naming('keys', /restart/)]);
    const [{ startedAt }] = (await teller.run('reload', '--json')).json;
    expect(new Date(startedAt).toISOString()).toBe(startedAt);
  });

  test('exits 2 with every error of an invalid config, and contacts no process', async () => {
    const teller = await here({ rewards: DIAMOND });
    const { exit, err } = await teller.reload({
      rewards: EMERALD,
      listener: { port: 'many' },
      log: { level: 'loud' },
    });
    expect([exit, err]).toEqual([2, expect.stringMatching(/listener\.port[\s\S]*log\.level/)]);
    expect(teller.log.map(({ code }) => code)).not.toContain('config-invalid');
    await teller.vote({ player: 'Steve' });
    expect((await teller.run('grants', '--json')).err).toContain('config-invalid');
    await teller.untilGrants('delivered');
    expect((await teller.grants())[0]?.commands).toMatchObject([{ command: 'give Steve diamond 1' }]);
  });

  test('warns of what is probably a mistake in a reward, and applies it', async () => {
    const teller = await here({ rewards: DIAMOND });
    const { exit, out, err } = await teller.reload({
      rewards: [{ name: 'daily', commands: ['say {player} has {vote}'] }],
    });
    expect([exit, out]).toEqual([0, naming('rewards.daily.commands')]);
    expect(err).toEqual(naming(/^warning: /, 'daily', '{vote}', '{votes}', /\[placeholder-unknown\]$/));
  });

  test('exits 1 if no Teller is running', async () => {
    const { run } = desk();
    expect(await run('reload')).toMatchObject({ exit: 1, err: expect.stringContaining('teller.db') });
    expect((await run('reload', '--json')).out).toBe('[]');
  });

  test('does not claim that no Teller is running if it cannot reach one that is', async () => {
    const teller = await here({ rewards: DIAMOND });
    rmSync(join(teller.folder, 'data/teller.db.run'), { recursive: true });
    const { exit, err } = await teller.run('reload');
    expect([exit, err]).toEqual([1, expect.stringMatching(/^a Teller is running .*restart/)]);
  });

  test('says why it is waiting if the answer takes long', async () => {
    const game = await rconGame({ commandTimeout: '5s' });
    const say = { name: 'say', when: 'always', commands: ['say {player}'] };
    const teller = await here({ gameServers: { main: game.entry }, rewards: [say] });
    game.fault('silent');
    await teller.vote({ player: 'Steve' });
    await teller.until(async () => (await teller.grants())[0]?.commands[0]?.attempts === 1);
    const reloading = teller.reload({
      gameServers: { main: { ...game.entry, password: 'x' } },
      rewards: [say],
    });
    await teller.pass(6_000);
    expect(await reloading).toMatchObject({ exit: 0, err: expect.stringContaining('commandTimeout') });
  });
});

describe('rule 15: while the running Teller has an older config', () => {
  test.each([['preview', 'Steve'], ['sites'], ['explain', 'Steve'], ['grants'], ['votes'], ['keys']])(
    '%s notes first what differs, on standard error with --json, and not after a reload',
    async (...words) => {
      const teller = await withOlderConfig();
      const { out } = await teller.run(...words);
      expect(out.split('\n')[0]).toMatch(/^note: .*rewards\.daily\.commands.*teller reload/);
      const scripted = await teller.run(...words, '--json');
      expect(scripted.json).toBeInstanceOf(Array);
      expect(scripted.err).toContain('rewards.daily.commands');
      await teller.run('reload');
      const after = await teller.run(...words);
      expect(`${after.out}${after.err}`).not.toContain('teller reload');
    },
  );

  test('check reports it until a reload', async () => {
    const teller = await withOlderConfig();
    const found = async () =>
      (await teller.run('check', '--json')).json.filter(
        ({ code }: { code: string }) => code === 'config-older',
      );
    expect(await found()).toMatchObject([
      { mark: 'warning', sentence: expect.stringContaining('rewards.daily') },
    ]);
    await teller.run('reload');
    expect(await found()).toEqual([]);
  });

  test('a rotated token is a difference, and counts after the reload', async () => {
    const teller = await here({ sites: { default: { token: TOKEN } } });
    const token = 'another-token-of-thirty-two-chars';
    rewrite(teller, { sites: { default: { token } } });
    expect((await teller.run('keys')).out).toContain('sites.default.token');
    expect(await teller.vote({ player: 'Steve', token })).not.toBe('ok');
    await teller.run('reload');
    expect(await teller.vote({ player: 'Steve', token })).toBe('ok');
  });
});
