import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Problem } from '../../src/core/problem.ts';
import { openListingThreads } from '../../src/listing/database/threaded.ts';
import { newListing } from '../../src/listing/store/listings.ts';
import { Votes } from '../../src/listing/store/votes.ts';
import { eventStates } from '../../src/listing/webhooks/event-state.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openThreads } from '../support/listing-threads.ts';
import { compiledThread } from '../support/processes.ts';
import { hookedSite } from './dashboard/hooked-site.ts';

const NOW = Date.UTC(2026, 5, 1);

const voteBy = (listingId: string, userId: string) => ({
  ...{ id: `vote-of-${userId}`, listingId, userId, player: null, weight: 1 },
  ...{ castAt: NOW, nextAt: NOW + 24 * 60 * 60 * 1000 },
});

/** A database on threads of its own, with one listing. */
async function threads(file = join(temporaryFolder(), 'listing.db')) {
  const ended: Problem[] = [];
  const onEnded = (problem: Problem) => void ended.push(problem);
  const opened = await openThreads(file, { clock: systemClock, onEnded });
  onTestFinished(() => opened.close());
  const listing = newListing({ name: 'Survival', game: 'minecraft', weight: 1 }, NOW, systemRandom);
  await opened.changes.addListings([{ listing, members: [] }], NOW);
  return { ...opened, file, listing, ended };
}

describe('the database of a listing service on threads of its own', () => {
  test('shows a vote to every read that follows its answer, on both reading connections', async () => {
    const { changes, reads, database, listing } = await threads();
    const votes = new Votes(database);
    for (let cast = 1; cast <= 20; cast++) {
      const userId = String(cast);
      expect(await changes.recordVote(voteBy(listing.id, userId))).toEqual({ kind: 'recorded' });
      expect(votes.active(listing.id, { by: 'user', key: userId }, NOW)).not.toBeNull();
      expect(await reads.voteFigures(listing.id, NOW)).toMatchObject({ votes: cast, voters: cast });
    }
  });

  test('admits one of several simultaneous votes by a user', async () => {
    const { changes, listing } = await threads();
    const vote = voteBy(listing.id, '1');
    const votes = Array.from({ length: 20 }, (_, index) =>
      changes.recordVote({ ...vote, id: `${vote.id}-${index}` }),
    );
    const kinds = (await Promise.all(votes)).map(({ kind }) => kind);
    expect(kinds).toEqual(['recorded', ...Array(19).fill('too-early')]);
  });

  test('stores every change that was asked for before closing', async () => {
    const { changes, close, file, listing } = await threads();
    const votes = ['1', '2', '3'].map((userId) => changes.recordVote(voteBy(listing.id, userId)));
    await close();
    expect(await Promise.all(votes)).toEqual(Array(3).fill({ kind: 'recorded' }));
    const again = await threads(file);
    expect(await again.reads.voteFigures(listing.id, NOW)).toMatchObject({ votes: 3 });
    expect(again.ended).toEqual([]);
  });

  test('refuses every call after closing as an error of the database', async () => {
    const { changes, close, listing } = await threads();
    await close();
    const late = changes.recordVote(voteBy(listing.id, '1'));
    await expect(late).rejects.toMatchObject({ code: 'thread-ended' });
  });
});

test('a listing service on threads of its own casts votes, delivers them, shows them, and keeps them across a restart', async () => {
  const hooked = await hookedSite({ isThreaded: true, fields: { secret: 'generate' } });
  const { site, owner, listing, receiver, deliveries } = hooked;
  await hooked.votes(2, 204, 404);
  const states = async () => (await owner.open(deliveries)).rows.map(({ State }) => State);
  expect((await states()).toSorted()).toEqual([eventStates.delivered.label, eventStates.undelivered.label]);
  receiver.answers = [204];
  expect((await hooked.redeliver()).tone).toBe('good');
  expect(receiver.requests).toHaveLength(3);
  await owner.press(hooked.webhook, `${hooked.webhook}/test`);
  await site.restart();
  expect((await owner.values(listing.dashboard)).votes).toMatchObject({ votes: 2, voters: 2 });
  expect(await states()).toContain(eventStates.delivered.label);
});

test('if a database cannot be opened for the pages, its threads are closed, so that the process can end', async () => {
  const file = join(temporaryFolder(), 'words.db');
  const start = compiledThread(join(import.meta.dirname, '../support/calls-thread.ts'));
  const opening = openListingThreads(file, { clock: systemClock, onEnded: () => {}, start });
  await expect(opening).rejects.toMatchObject({ code: 'ledger-foreign' });
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
