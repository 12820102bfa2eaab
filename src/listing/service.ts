import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { acquireLock, lockFileOf } from '../db/lock.ts';
import { postWith } from '../notify/webhook/post.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import type { PracticeClock } from '../platform/practice-clock.ts';
import { type Closable, type OnEnd, started } from '../platform/started.ts';
import { makeFolderSync } from '../platform/write-file.ts';
import type { Passwords } from '../web/auth/passwords.ts';
import { acceptedHosts, originOf } from '../web/own-address.ts';
import { servePages } from '../web/server.ts';
import { type AccountsIn, accountsIn } from './accounts/accounts-in.ts';
import { serverFaultBody } from './api/fault.ts';
import type { ListingDatabase, OpenListing } from './database/listing-database.ts';
import { openListingThreads } from './database/threaded.ts';
import { ListenerSends } from './listener-sends/listener-sends.ts';
import { sendWith } from './listener-sends/sending.ts';
import { publicPaths } from './public/paths.ts';
import { listingSite, SERVICE_NAME } from './site.ts';
import { type ListingStore, listingStore } from './store/listing-store.ts';
import { targetRule } from './targets/target-rule.ts';
import { USER_AGENT, WebhookDeliveries, type WebhookDeliveriesParts } from './webhooks/webhook-deliveries.ts';

/** The config's `listing`, as loaded. */
export interface ListingConfig {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string | undefined;
  /** The absolute path of the SQLite file. */
  readonly database: string;
  readonly allowTargets: readonly string[];
  /** Networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly retryScheduleMs: readonly number[];
  readonly channelHosts: readonly string[];
}

export interface ListingSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The same as `clock` if the practice clock is used, otherwise null. */
  readonly practiceClock: PracticeClock | null;
  /** The DNS resolver; by default that of the operating system. */
  readonly lookup?: LookupFunction;
  /** How passwords are hashed; by default at the usual cost. */
  readonly passwords?: Passwords;
  /** How the database is opened; by default on threads of its own. */
  readonly open?: OpenListing;
}

/** A running listing service. */
export interface ListingService extends Closable {
  readonly address: ListeningAddress;
  /** The URL of its pages, without a slash at the end. */
  readonly url: string;
  readonly store: ListingStore;
  readonly accounts: AccountsIn;
  readonly sends: ListenerSends;
  readonly deliveries: WebhookDeliveries;
  /** Resolves if nothing can be stored any more, so that the process should end: `thread-ended`. */
  readonly failed: Promise<Problem>;
}

/**
 * Builds and starts all parts of the listing service. If one cannot start, stops the others and throws a Problem
 * (`data-in-use`, `data-unwritable`, `ledger-…`, `port-…`, `config-value`).
 */
export async function startListing(
  config: ListingConfig,
  around: ListingSurroundings,
): Promise<ListingService> {
  return started((onEnd) => startParts(config, around, onEnd));
}

async function startParts(
  config: ListingConfig,
  around: ListingSurroundings,
  onEnd: OnEnd,
): Promise<Omit<ListingService, 'close'>> {
  const { clock, random } = around;
  const { failed, ...opened } = await openAlone(config.database, around, onEnd);
  const store = listingStore({ ...opened, clock, log: around.log });
  onEnd(() => store.budgets.close());
  const accounts = accountsIn({ ...opened, clock, random, passwords: around.passwords });
  const targets = targetRule({ ...config, clock, lookup: around.lookup ?? (systemLookup as LookupFunction) });
  const deliveries = deliveriesFor(config, around, { ...opened, targets });
  const sends = new ListenerSends({
    ...{ ...opened, targets, clock, random, log: around.log },
    send: sendWith(targets, clock),
    serviceName: SERVICE_NAME,
  });
  await sends.cutOffOpen();
  await deliveries.cutOffOpen();
  const handler = listingSite({
    ...around,
    ...{ store, accounts, targets, deliveries, sends },
    observers: [sends, deliveries],
    allowTargets: config.allowTargets,
    retryScheduleMs: config.retryScheduleMs,
    ...acceptedHosts(config),
  });
  const server = await servePages(handler, {
    host: config.host,
    port: config.port,
    key: 'listing.port in the config, or --port',
    likelyHolder: 'another listing service',
    visitors: 'signed-in',
    ...{ clock, log: around.log },
    trustedProxies: config.trustedProxies,
    faultBody: (fault) => serverFaultBody(fault, clock),
  });
  onEnd(() => sends.close());
  deliveries.start();
  onEnd(around.practiceClock?.whenMoved(() => deliveries.nudge()) ?? (() => {}));
  onEnd(() => deliveries.close());
  onEnd(() => server.close());
  const { address } = server;
  return { address, url: originOf(config, address), store, accounts, sends, deliveries, failed };
}

/** Allows one process for each database, because a second one would send the same events at the same time. */
async function openAlone(
  file: string,
  { clock, open = openListingThreads }: ListingSurroundings,
  onEnd: OnEnd,
): Promise<ListingDatabase & Pick<ListingService, 'failed'>> {
  try {
    makeFolderSync(dirname(file));
  } catch (error) {
    const sentence = `The folder of ${file} cannot be created (${(error as Error).message}).`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
  const lock = acquireLock(lockFileOf(file));
  if (lock === null) {
    throw new Problem('data-in-use', `Another listing service uses ${file}. Stop that one first.`);
  }
  onEnd(() => lock.release());
  let onEnded: (problem: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => {
    onEnded = resolve;
  });
  const { close, ...opened } = await open(file, { clock, onEnded });
  onEnd(close);
  return { ...opened, failed };
}

function deliveriesFor(
  config: ListingConfig,
  { clock, random, log }: ListingSurroundings,
  parts: ListingDatabase & Pick<WebhookDeliveriesParts, 'targets'>,
): WebhookDeliveries {
  const { publicUrl, retryScheduleMs } = config;
  return new WebhookDeliveries({
    ...{ ...parts, clock, random, log, retryScheduleMs },
    post: postWith(parts.targets.lookup, clock),
    userAgent: USER_AGENT,
    listingLink: ({ id }) => (publicUrl === undefined ? null : publicUrl + publicPaths.listing(id)),
  });
}
