import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER } from '../../protocol/webhook/signature.ts';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { record, reporting } from '../recovery/reporting-api.ts';
import { TOKEN } from '../support/config-folder.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { at } from '../support/votes.ts';
import { payload, SECRET, signature } from '../webhook-in/receiving.ts';

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
