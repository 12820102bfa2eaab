import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Listing } from '../../src/listing/contracts.ts';
import { SendStore } from '../../src/listing/listener-sends/send-store.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { type FakeListener, fakeListener } from '../support/fake-listener.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { ListingKillPoint } from '../support/killing-listing.ts';
import { addListing, saveWebhook } from '../support/listing-rows.ts';
import { startScript } from '../support/processes.ts';
import { type Sink, type SinkAnswer, sink } from '../support/sink.ts';

const KILLING_LISTING = join(import.meta.dirname, '../support/killing-listing.ts');

interface Story {
  readonly database: Database;
  readonly listing: Listing;
  readonly receiver: Sink;
  readonly listener: FakeListener;
  /** A service that casts a vote and dies at this point. */
  voteAndDie(point: ListingKillPoint): Promise<void>;
  /** A service that lives; with a vote, or to go on after another. */
  start(vote?: 'vote'): ReturnType<typeof startScript>;
}

/** A listing with webhook and listener, and a service in a process of its own. */
async function story(...answers: SinkAnswer[]): Promise<Story> {
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
    voteAndDie: async (point) => {
      const dying = await run(point, listing.id);
      await dying.ended();
    },
    start: (vote) => run('never', ...(vote === undefined ? [] : [listing.id])),
  };
}

const column = (database: Database, sql: string): unknown[] => database.prepare(sql).pluck().all();
const eventStates = ({ database }: Story) => column(database, 'SELECT state FROM events');
const attempts = ({ receiver }: Story) =>
  receiver.requests.map(({ headers }) => headers['x-service-attempt']);
const delivered = (told: Story) =>
  expect.poll(() => eventStates(told), { timeout: 15_000 }).toEqual(['delivered']);

describe('a webhook delivery survives kill -9: at least once', { timeout: 60_000 }, () => {
  test('DO-11: killed when the vote was stored: the next process delivers its event', async () => {
    const told = await story(204);
    await told.voteAndDie('vote-stored');
    expect(told.receiver.requests).toHaveLength(0);
    expect(eventStates(told)).toEqual(['pending']);
    await told.start();
    await delivered(told);
    expect(attempts(told)).toEqual(['1']);
  });

  test('DO-11: killed between mark and sending: it is delivered, and the first attempt shows as cut off', async () => {
    const told = await story(204);
    await told.voteAndDie('delivery-marked');
    expect(told.receiver.requests).toHaveLength(0);
    await told.start();
    await delivered(told);
    expect(attempts(told)).toEqual(['2']);
    expect(
      column(
        told.database,
        'SELECT attempt FROM deliveries WHERE reason IS NOT NULL AND http_status IS NULL',
      ),
    ).toEqual([1]);
  });

  test('DO-11: killed between answer and record: it arrives twice, with one event id and the same bytes', async () => {
    const told = await story(204);
    await told.voteAndDie('delivery-answered');
    expect(attempts(told)).toEqual(['1']);
    expect(eventStates(told)).toEqual(['pending']);
    await told.start();
    await delivered(told);
    const [first, second] = told.receiver.requests;
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
  });

  test('DO-11: killed while the receiver stalls: the next process delivers', async () => {
    const told = await story(() => {}, 204);
    const running = await told.start('vote');
    await told.receiver.request(1);
    await running.kill();
    await told.start();
    await delivered(told);
    expect(attempts(told)).toEqual(['1', '2']);
  });

  test('DO-11: killed between two retries: the next process goes on with them', async () => {
    const told = await story(500, 204);
    const running = await told.start('vote');
    await expect
      .poll(() => column(told.database, 'SELECT http_status FROM deliveries'), {
        interval: 5,
        timeout: 15_000,
      })
      .toEqual([500]);
    await running.kill();
    await told.start();
    await delivered(told);
    expect(attempts(told)).toEqual(['1', '2']);
  });
});

describe('a vote for a listener survives no kill: at most once', { timeout: 60_000 }, () => {
  const ends = ({ database }: Story) => column(database, 'SELECT code FROM listener_sends');

  /** What the next process would send comes with the webhook of the same vote, which it does send. */
  const nextProcess = async (told: Story) => {
    await told.start();
    await delivered(told);
    await expect.poll(() => ends(told)).toEqual(['cut-off']);
  };

  test('VT-10: killed when the vote was stored: its mark was stored with it, and it is never sent', async () => {
    const told = await story(204);
    await told.voteAndDie('vote-stored');
    expect(ends(told)).toEqual([null]);
    await nextProcess(told);
    expect(told.listener.connections).toBe(0);
  });

  test('VT-10: killed between mark and sending: it is shown as cut off and never sent', async () => {
    const told = await story(204);
    await told.voteAndDie('send-marked');
    expect(ends(told)).toEqual([null]);
    await nextProcess(told);
    expect(told.listener.connections).toBe(0);
  });

  test('VT-10: killed between answer and record: it has been sent once, and is not sent again', async () => {
    const told = await story(204);
    await told.voteAndDie('send-answered');
    expect(told.listener.connections).toBe(1);
    await nextProcess(told);
    expect(told.listener.connections).toBe(1);
  });
});
