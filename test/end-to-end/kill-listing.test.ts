import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Listing } from '../../src/listing/contracts.ts';
import { SendStore } from '../../src/listing/listener-sends/send-store.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { type FakeListener, fakeListener } from '../kit/listener.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { ListingKillPoint } from '../support/killing-listing.ts';
import { addListing, saveWebhook } from '../support/listing-rows.ts';
import { startScript } from '../support/processes.ts';
import { type Sink, type SinkAnswer, sink } from '../support/sink.ts';

const KILLING_LISTING = join(import.meta.dirname, '../support/killing-listing.ts');

interface Fixture {
  readonly database: Database;
  readonly listing: Listing;
  readonly receiver: Sink;
  readonly listener: FakeListener;
  /** Starts a service that casts a vote and is killed at this point. */
  voteAndKill(point: ListingKillPoint): Promise<void>;
  /** Starts a service that is not killed; it casts a vote if asked to. */
  start(vote?: 'vote'): ReturnType<typeof startScript>;
}

/** A listing with a webhook and a listener, and a service in its own process. */
async function fixture(...answers: SinkAnswer[]): Promise<Fixture> {
  const folder = temporaryFolder();
  const file = join(folder, 'listing.db');
  const database = openDatabase(file, listingSchema, 'create');
  onTestFinished(() => {
    database.close();
  });
  const receiver = await sink(...answers);
  const listener = await fakeListener();
  const listing = addListing(database);
  saveWebhook(database, listing, { url: receiver.url, secret: 'whsec_x' }, systemClock.now());
  new SendStore(database).save(listing.id, {
    host: '127.0.0.1',
    port: listener.port,
    method: 'token',
    credential: 'token',
    updatedAt: 0,
  });
  const run = (point: ListingKillPoint, ...vote: string[]) =>
    startScript(KILLING_LISTING, [file, point, ...vote], folder);
  return {
    database,
    listing,
    receiver,
    listener,
    voteAndKill: async (point) => {
      const service = await run(point, listing.id);
      await service.ended();
    },
    start: (vote) => run('never', ...(vote === undefined ? [] : [listing.id])),
  };
}

const column = (database: Database, sql: string): unknown[] => database.prepare(sql).pluck().all();
const eventStates = ({ database }: Fixture) => column(database, 'SELECT state FROM events');
const attempts = ({ receiver }: Fixture) =>
  receiver.requests.map(({ headers }) => headers['x-service-attempt']);
const delivered = (setup: Fixture) =>
  expect.poll(() => eventStates(setup), { timeout: 15_000 }).toEqual(['delivered']);

describe('a webhook delivery survives kill -9: at least once', { timeout: 60_000 }, () => {
  test('DO-11: after a kill when the vote is stored, the next process delivers its event', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('vote-stored');
    expect(setup.receiver.requests).toHaveLength(0);
    expect(eventStates(setup)).toEqual(['pending']);
    await setup.start();
    await delivered(setup);
    expect(attempts(setup)).toEqual(['1']);
  });

  test('DO-11: after a kill between mark and sending, the event is delivered, and the first attempt is shown as cut off', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('delivery-marked');
    expect(setup.receiver.requests).toHaveLength(0);
    await setup.start();
    await delivered(setup);
    expect(attempts(setup)).toEqual(['2']);
    expect(
      column(
        setup.database,
        'SELECT attempt FROM deliveries WHERE reason IS NOT NULL AND http_status IS NULL',
      ),
    ).toEqual([1]);
  });

  test('DO-11: after a kill between answer and record, the event arrives twice, with one event ID and the same bytes', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('delivery-answered');
    expect(attempts(setup)).toEqual(['1']);
    expect(eventStates(setup)).toEqual(['pending']);
    await setup.start();
    await delivered(setup);
    const [first, second] = setup.receiver.requests;
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
  });

  test('DO-11: after a kill while the receiver stalls, the next process delivers the event', async () => {
    const setup = await fixture(() => {}, 204);
    const running = await setup.start('vote');
    await setup.receiver.request(1);
    await running.kill();
    await setup.start();
    await delivered(setup);
    expect(attempts(setup)).toEqual(['1', '2']);
  });

  test('DO-11: after a kill between two retries, the next process continues them', async () => {
    const setup = await fixture(500, 204);
    const running = await setup.start('vote');
    await expect
      .poll(() => column(setup.database, 'SELECT http_status FROM deliveries'), {
        interval: 5,
        timeout: 15_000,
      })
      .toEqual([500]);
    await running.kill();
    await setup.start();
    await delivered(setup);
    expect(attempts(setup)).toEqual(['1', '2']);
  });
});

describe('a vote is sent to a listener at most once, whenever the service is killed', {
  timeout: 60_000,
}, () => {
  const ends = ({ database }: Fixture) => column(database, 'SELECT code FROM listener_sends');

  /** Starts the next process and waits until it has delivered the webhook: by then it would also have sent the vote. */
  const nextProcess = async (setup: Fixture) => {
    await setup.start();
    await delivered(setup);
    await expect.poll(() => ends(setup)).toEqual(['cut-off']);
  };

  test('VT-10: after a kill when the vote is stored, its mark is stored too, and it is never sent', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('vote-stored');
    expect(ends(setup)).toEqual([null]);
    await nextProcess(setup);
    expect(setup.listener.connections).toBe(0);
  });

  test('VT-10: after a kill between mark and sending, the vote is shown as cut off and never sent', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('send-marked');
    expect(ends(setup)).toEqual([null]);
    await nextProcess(setup);
    expect(setup.listener.connections).toBe(0);
  });

  test('VT-10: after a kill between answer and record, the vote was sent once and is not sent again', async () => {
    const setup = await fixture(204);
    await setup.voteAndKill('send-answered');
    expect(setup.listener.connections).toBe(1);
    await nextProcess(setup);
    expect(setup.listener.connections).toBe(1);
  });
});
