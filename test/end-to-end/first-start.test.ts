import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER } from '../../protocol/webhook/signature.ts';
import { runCommand as runTeller } from '../../src/commands/run.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { runCommand } from '../commands/run-command.ts';
import { record, reporting, scriptedServer } from '../kit/listing-api.ts';
import { payload, SECRET, signature } from '../kit/webhook.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { at } from '../support/votes.ts';

const SITE = 'My-List.com';
const webhook = { path: '/votes', secret: SECRET, listingId: 'listing-1' };

const configured = (site: object) => ({
  sites: { default: { token: TOKEN }, [SITE]: { webhook, ...site } },
  webhook: { host: '127.0.0.1', port: 0 },
});

async function post({ app }: RunningApp): Promise<number> {
  const body = payload();
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature(body) };
  const { status } = await fetch(`http://127.0.0.1:${app.webhook?.port}/votes`, {
    method: 'POST',
    headers,
    body,
  });
  return status;
}

const decisions = async ({ look }: RunningApp) =>
  (await look.votes({ limit: 9 })).map(({ channel, decision }) => `${channel} ${decision}`);

describe('a first start', () => {
  test('with a clock hours ahead that is later corrected pays every vote cast in those hours', async () => {
    const clock = new SettableClock('2026-06-01T17:00:00Z');
    const running = await runningApp(clock, configured({}));
    clock.jump('2026-06-01T12:00:00Z');
    expect(await post(running)).toBe(200);
    expect(await decisions(running)).toEqual(['webhook rewarded']);
  });

  test('with a clock that starts in 1970 pays votes cast after the start and none from before', async () => {
    const { root } = await scriptedServer(reporting([record(1, at('2026-06-01T03:00:00Z'))]));
    const clock = new SettableClock('1970-01-01T00:00:10Z');
    const running = await runningApp(clock, configured({ api: { baseUrl: root, token: 'tok' } }));
    clock.jump('2026-06-01T12:00:00Z');
    running.app.recovery.nudge();
    await expect.poll(() => running.app.recovery.status()[0]?.lastAt).not.toBe(null);
    expect(await decisions(running)).toEqual(['api before-start']);
    expect(await post(running)).toBe(200);
    expect(await decisions(running)).toEqual(['webhook rewarded', 'api before-start']);
  });
});

describe('a first start with a config that names files for its tokens', () => {
  /** A Teller that never started: without tokens and keys. `start` starts it, and stops it as soon as it is ready. */
  const neverStarted = (overrides: object = {}) => {
    const sites = {
      default: { token: 'file:data/secrets/default.token' },
      'My List': { token: 'file:its.token' },
    };
    const { folder, config } = configFolder({ sites, ...overrides });
    rmSync(join(folder, 'data'), { recursive: true });
    const start = () => {
      const terminal = fakeTerminal();
      const parts = {
        clock: systemClock,
        random: systemRandom,
        stopped: async () => {},
        teller: 'teller',
      };
      return runCommand(runTeller(terminal, parts), terminal, ['--config', config]);
    };
    return { folder, start };
  };

  test('creates them and the key pair, as without a config, and says which', async () => {
    const { folder, start } = neverStarted();
    const { exit, err } = await start();
    expect(exit).toBe(0);
    for (const secret of ['data/keys/private.key', 'data/secrets/default.token', 'its.token']) {
      expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600);
      expect(err).toContain(join(folder, secret));
      expect(err).not.toContain(readFileSync(join(folder, secret), 'utf8').trim());
    }
    expect(err).toContain('teller keys');
  });

  test('creates none where there is a ledger, and names the command that does', async () => {
    const { folder, start } = neverStarted();
    await start();
    rmSync(join(folder, 'its.token'));
    const { exit, err } = await start();
    expect(exit).toBe(2);
    expect(err).toMatch(/`teller keys rotate token 'My List'`.*\[secret-missing\]/);
    expect(existsSync(join(folder, 'its.token'))).toBe(false);
  });

  test.each([
    ['another secret is missing', { main: { kind: 'rcon', password: 'file:none' } }, 'secret-missing'],
    ['the config has a fault', { main: { kind: 'none' } }, 'config-value'],
  ])('creates no file while %s', async (_, gameServers, code) => {
    const { folder, start } = neverStarted({ gameServers });
    expect(await start()).toMatchObject({ exit: 2, err: expect.stringContaining(`[${code}]`) });
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  test('puts none in place of a link to a disk that is not mounted', async () => {
    const { folder, start } = neverStarted();
    const [link, elsewhere] = [join(folder, 'its.token'), join(folder, 'not-mounted/token')];
    symlinkSync(elsewhere, link);
    expect(await start()).toMatchObject({ exit: 2, err: expect.stringContaining('[secret-missing]') });
    expect(readlinkSync(link)).toBe(elsewhere);
  });
});
