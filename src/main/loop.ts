/**
 * Teller, the listing service and a webhook receiver on one machine, connected to each other: a vote on the sample listing's page is
 * sent to the listener, paid on the practice server, and posted to the receiver.
 */
import { publicKeyText } from '../../protocol/votifier/v1.ts';
import type { Config } from '../config/config.ts';
import { readKeyPair } from '../config/keys.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { Secret } from '../core/secret-value.ts';
import type { Listing } from '../listing/contracts.ts';
import type { OpenListing } from '../listing/database/listing-database.ts';
import type { Samples } from '../listing/samples.ts';
import { type ListingService, startListing } from '../listing/service.ts';
import { newWebhookSecret } from '../listing/webhooks/secret.ts';
import type { PracticeClock } from '../platform/practice-clock.ts';
import { type Closable, started } from '../platform/started.ts';
import type { Delivery } from '../practice/webhook-tools/received.ts';
import { type Sink, startSink } from '../practice/webhook-tools/sink.ts';
import { type App, startApp } from './app.ts';
import { type Environment, environment } from './environment.ts';

/** Everything runs on one machine, so all targets are loopback addresses (NS-46). */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The path that shows that an earlier start of the loop created a webhook. */
const RECEIVER_PATH = 'sample-receiver';

export interface LoopEnvironment {
  /** One clock for both sides. */
  readonly clock: PracticeClock;
  readonly random: Random;
  readonly log: Log;
  /** Which protocol carries votes to the listener. */
  readonly protocol: 'v1' | 'v2';
  /** Creates the sample people and listings of a listing service. */
  readonly samples: (service: ListingService) => Promise<Samples>;
  readonly onDelivery: (delivery: Delivery) => void;
  /** How the databases are opened; by default on threads of their own. */
  readonly open?: { readonly listing: OpenListing; readonly ledger: Environment['openLedger'] };
}

export interface Loop extends Closable {
  readonly app: App;
  readonly listing: ListingService;
  readonly receiver: Sink;
  readonly samples: Samples;
  /** The listing whose votes are paid. */
  readonly minecraft: Listing;
}

/** Throws a Problem if a part cannot start, after stopping the parts that had started. */
export async function startLoop(config: Config, around: LoopEnvironment): Promise<Loop> {
  requirePracticeOnly(config);
  const { clock, random, log, open } = around;
  return started(async (onEnd) => {
    const listing = await startListing(
      { ...config.listing, allowTargets: LOOPBACK },
      { clock, random, log, practiceClock: clock, ...(open && { open: open.listing }) },
    );
    onEnd(listing.close);
    const app = await startApp(config, {
      ...environment(clock, random, log),
      ...(open && { openLedger: open.ledger }),
    });
    onEnd(app.close);
    const secret = newWebhookSecret(random);
    const receiver = await startSink({
      ...{ host: '127.0.0.1', port: 0, secret, acceptedStatus: 200, clock },
      onDelivery: around.onDelivery,
    });
    onEnd(receiver.close);
    const samples = await around.samples(listing);
    // The listing with the lowest ID is the oldest: the owner may have added others.
    const [minecraft] = samples.listings
      .filter(({ game }) => game === 'minecraft')
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (minecraft === undefined) {
      const sentence = 'The sample owner has no Minecraft listing any more; remove data/loop to start over.';
      throw new Problem('config-value', sentence);
    }
    await connectListener(minecraft, config, app, listing, around.protocol);
    await connectWebhook(minecraft, listing, receiver, secret, clock);
    return { app, listing, receiver, samples, minecraft };
  });
}

/** Runs at every start, because ports and keys may have changed. Also undoes changes made in the dashboard. */
async function connectListener(
  { id }: Listing,
  { keys, sites, file }: Config,
  { listener }: App,
  { sends }: ListingService,
  protocol: 'v1' | 'v2',
): Promise<void> {
  const token = sites.get('default')?.token ?? Secret.missing(`sites.default in ${file} has no token`);
  const [method, credential] =
    protocol === 'v1'
      ? (['public-key', publicKeyText((await readKeyPair(keys)).publicKey)] as const)
      : (['token', token.reveal()] as const);
  const read = await sends.save(id, { host: '127.0.0.1', port: String(listener.port), method, credential });
  if (read.kind === 'refused') throw new Error(read.faults.map(({ sentence }) => sentence).join(' '));
}

/** Keeps the webhook if its owner has chosen another receiver. */
async function connectWebhook(
  { id }: Listing,
  { store }: ListingService,
  { url }: Sink,
  secret: string,
  clock: PracticeClock,
): Promise<void> {
  const present = store.webhooks.find(id);
  if (present !== null && new URL(present.url).pathname !== `/${RECEIVER_PATH}`) return;
  const statement = { url: `${url}${RECEIVER_PATH}`, secret, isActive: true };
  await store.changes.registerWebhook(id, statement, clock.now());
}
