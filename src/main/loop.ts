import { publicKeyText } from '../../protocol/votifier/v1.ts';
import type { Config } from '../config/config.ts';
import { readKeyPair } from '../config/keys.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
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
  /** How the listing service's database is opened; by default on threads of its own. */
  readonly openListing?: OpenListing;
  /** How the ledger is opened; by default on a thread of its own. */
  readonly openLedger?: Environment['openLedger'];
}

/** Teller, the listing service and a webhook receiver, connected to each other. */
export interface Loop extends Closable {
  readonly app: App;
  readonly listing: ListingService;
  readonly receiver: Sink;
  readonly samples: Samples;
  /** The listing whose votes are paid. */
  readonly minecraft: Listing;
}

/**
 * Starts the whole loop: a vote on the sample listing's page is sent to the listener, paid on the practice server, and
 * posted to the receiver. Throws a Problem if a part cannot start, after stopping the parts that had started.
 */
export async function startLoop(config: Config, around: LoopEnvironment): Promise<Loop> {
  requirePracticeOnly(config);
  const { clock, random, log, openListing, openLedger } = around;
  return started(async (onEnd) => {
    const listing = await startListing(
      { ...config.listing, allowTargets: LOOPBACK },
      {
        clock,
        random,
        log,
        practiceClock: clock,
        ...(openListing === undefined ? {} : { open: openListing }),
      },
    );
    onEnd(listing.close);
    const app = await startApp(config, {
      ...environment(clock, random, log),
      ...(openLedger === undefined ? {} : { openLedger }),
    });
    onEnd(app.close);
    const secret = newWebhookSecret(random);
    const receiver = await startSink({
      ...{ host: '127.0.0.1', port: 0, secret, acceptedStatus: 200, clock },
      onDelivery: around.onDelivery,
    });
    onEnd(receiver.close);
    const samples = await around.samples(listing);
    const minecraft = sampleMinecraft(samples);
    await connectListener(minecraft, config, app, listing, around.protocol);
    await connectWebhook(minecraft, listing, receiver, secret, clock);
    return { app, listing, receiver, samples, minecraft };
  });
}

function sampleMinecraft({ listings }: Samples): Listing {
  // The listing with the lowest ID is the oldest: the owner may have added others.
  const found = listings
    .filter(({ game }) => game === 'minecraft')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))[0];
  if (found !== undefined) return found;
  throw new Problem(
    'config-value',
    'The sample owner has no Minecraft listing any more; remove data/loop to start over.',
  );
}

/** Runs at every start, because ports and keys may have changed. Also undoes changes made in the dashboard. */
async function connectListener(
  { id }: Listing,
  config: Config,
  { listener }: App,
  { sends }: ListingService,
  protocol: 'v1' | 'v2',
): Promise<void> {
  const read = await sends.save(id, {
    host: '127.0.0.1',
    port: String(listener.port),
    method: protocol === 'v1' ? 'public-key' : 'token',
    credential: protocol === 'v1' ? await publicKeyOf(config) : tokenOf(config),
  });
  if (read.kind === 'refused') throw new Error(read.faults.map(({ sentence }) => sentence).join(' '));
}

const publicKeyOf = async ({ keys }: Config): Promise<string> =>
  publicKeyText((await readKeyPair(keys)).publicKey);

/** @throws Problem `secret-missing` */
function tokenOf({ sites, file }: Config): string {
  const token = sites.get('default')?.token ?? null;
  if (token === null) throw new Problem('secret-missing', `sites.default in ${file} has no token`);
  return token.reveal();
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
