import { expect, test } from 'vitest';
import { testVoteRefusals } from '../../../src/listing/listener-sends/listener-sends.ts';
import { failures } from '../../../src/sender/result.ts';
import { answering, type FakeListener, fakeListener } from '../../support/fake-listener.ts';
import { holding } from '../../support/sentences.ts';
import { turns } from '../../support/webhook-fixture.ts';
import { type WholeSite, wholeSite } from '../../support/whole-site.ts';
import type { Listed, Person } from './browser.ts';

const WRONG_TOKEN =
  '{"status":"error","cause":"Exception","error":"Signature is not valid (invalid token?)"}\r\n';

/** Sends a failing test vote, and returns what the page shows about it. */
async function failedTest(site: WholeSite, owner: Person, listing: Listed, { port, ...wait }: Peer) {
  await owner.saveListener(listing, { port: String(port) });
  const at = `${listing.dashboard}/listener`;
  const pressed = owner.press(at, `${at}/test`, { player: 'Steve' });
  if (wait.isReached !== undefined) {
    while (!wait.isReached()) await turns(1);
    // Lets the service's side of the connection run as well.
    await turns(3);
    site.clock.advance(10_000);
  }
  const { alerts, rows } = await pressed;
  return { alert: alerts[0], row: rows[0]! };
}

interface Peer {
  readonly port: number;
  /** For a peer that never answers: whether the clock can be moved. */
  readonly isReached?: () => boolean;
}

const silent = (listener: FakeListener, isReached: () => boolean): Peer => ({
  port: listener.port,
  isReached,
});

test('shows a separate reason for each way a test vote can fail, at once and in the log (VT-18)', async () => {
  const site = await wholeSite();
  const owner = await site.person();
  const listing = await owner.list('minecraft');
  const ungreeted = await fakeListener(() => {}, null);
  const unanswered = await fakeListener(() => {});
  const peers: readonly (readonly [keyof typeof failures, Peer])[] = [
    ['port-refused', { port: 1 }],
    ['no-answer', silent(unanswered, () => (unanswered.received[0]?.length ?? 0) > 0)],
    ['wrong-token', await fakeListener(answering(WRONG_TOKEN))],
    ['no-greeting', silent(ungreeted, () => ungreeted.connections > 0)],
    ['v1-only', await fakeListener(() => {}, 'VOTIFIER 1.9\n')],
  ];
  const reasons: string[] = [];
  for (const [code, peer] of peers) {
    const { alert, row } = await failedTest(site, owner, listing, peer);
    const said = holding<{ where: string; detail: string }>(failures[code].sentence);
    expect([code, alert?.role, alert?.title]).toEqual([code, 'alert', said]);
    expect(alert!.title).toContain(row.detail);
    // Sentences that differ only in the port count as the same reason.
    reasons.push(row.detail!.replaceAll(/\d+/g, '#'));
    site.clock.advance(1);
  }
  expect(new Set(reasons).size).toBe(5);
  const { sends } = await owner.values(`${listing.dashboard}/listener`);
  expect(sends.map(({ code }: { code: string }) => code)).toEqual(peers.map(([code]) => code).reverse());
  expect(sends.every(({ outcome }: { outcome: string }) => outcome === 'failed')).toBe(true);
});

test('shows no test button without settings, and refuses a forged POST (VT-18)', async () => {
  const site = await wholeSite();
  const owner = await site.person();
  const listing = await owner.list('minecraft');
  const at = `${listing.dashboard}/listener`;
  expect((await owner.open(at)).form(`${at}/test`)).toBeNull();
  expect((await owner.post(`${at}/test`, { player: 'Steve' })).said).toBe(testVoteRefusals['no-settings']);
  expect(await owner.answer(`${at}/test`, { player: 'Steve' })).toMatchObject({ code: 'no-settings' });
});
