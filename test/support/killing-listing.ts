/**
 * A process with the sending side of a listing service, which kills itself (SIGKILL) at a chosen point while it delivers
 * a vote. The kill points wrap the parts' collaborators.
 *
 * Arguments: database file, kill point, id of the listing on which a vote is cast (or none).
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { openListingThreads } from '../../src/listing/database/threaded.ts';
import { ListenerSends } from '../../src/listing/listener-sends/listener-sends.ts';
import { type Send, sendWith } from '../../src/listing/listener-sends/sending.ts';
import { listingStore } from '../../src/listing/store/listing-store.ts';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { castVote } from '../../src/listing/votes/cast-vote.ts';
import { WebhookDeliveries } from '../../src/listing/webhooks/webhook-deliveries.ts';
import { type Post, postWith } from '../../src/notify/webhook/post.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';
import { silentLog } from './log.ts';

export type ListingKillPoint =
  | 'never'
  /** The vote and its event are committed; no attempt is marked. */
  | 'vote-stored'
  /** The attempt is marked; nothing has been sent. */
  | 'delivery-marked'
  /** The receiver has answered; the answer is not stored. */
  | 'delivery-answered'
  /** The same two points for the vote listener. */
  | 'send-marked'
  | 'send-answered';

const [, , file = '', point, listingId] = process.argv as [string, string, string, ListingKillPoint, string?];
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const dyingPost =
  (post: Post): Post =>
  async (posting, stop) => {
    if (point === 'delivery-marked') die();
    const answer = await post(posting, stop);
    if (point === 'delivery-answered') die();
    return answer;
  };

const dyingSend =
  (send: Send): Send =>
  async (vote, settings) => {
    if (point === 'send-marked') die();
    const end = await send(vote, settings);
    if (point === 'send-answered') die();
    return end;
  };

const clock = systemClock;
const targets = targetRule({
  lookup: lookup as LookupFunction,
  allowTargets: ['127.0.0.0/8'],
  channelHosts: [],
});
const opened = await openListingThreads(file, { clock, onEnded: () => {} });
const store = listingStore({ ...opened, clock, log: silentLog });
const log = createLog('info', systemTerminal);
const parts = { ...opened, clock, random: systemRandom, log, targets };
const deliveries = new WebhookDeliveries({
  ...parts,
  post: dyingPost(postWith(targets.lookup, clock)),
  retryScheduleMs: [500, 1_000],
  userAgent: 'Test-Listing',
  listingLink: () => null,
});
const sends = new ListenerSends({
  ...parts,
  send: dyingSend(sendWith(targets, clock)),
  serviceName: 'Listing',
});
await sends.cutOffOpen();
await deliveries.cutOffOpen();
// Otherwise the event could be marked in the transaction of its vote.
if (point !== 'vote-stored') deliveries.start();
systemTerminal.out(JSON.stringify({ msg: 'ready' }));

if (listingId !== undefined) {
  const listing = store.listings.find(listingId);
  if (listing === null) throw new Error(`no listing ${listingId}`);
  const dying = { voteCast: () => (point === 'vote-stored' ? die() : undefined) };
  const observers = [dying, sends, deliveries];
  await castVote(
    { store, clock, random: systemRandom, log: silentLog, observers },
    listing,
    '80351110224678912',
    'Steve',
  );
}
