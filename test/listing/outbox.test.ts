import { expect, test } from 'vitest';
import { claimDue, type DueQuery } from '../../src/listing/outbox/claim-due.ts';

interface NamedJob {
  readonly listingId: string;
  readonly name: string;
}

/** A queue of jobs in memory, in order of arrival. */
class WaitingJobs {
  readonly perListingMax = 8;
  private readonly waiting = new Map<string, NamedJob[]>();

  add(listingId: string, name = listingId): void {
    this.waiting.set(listingId, [...(this.waiting.get(listingId) ?? []), { listingId, name }]);
  }

  dueListings({ inProgress, most, limit }: DueQuery): string[] {
    const taken = (listingId: string) => inProgress.get(listingId) ?? 0;
    return [...this.waiting.keys()]
      .filter((listingId) => taken(listingId) < most)
      .sort((a, b) => taken(a) - taken(b))
      .slice(0, limit);
  }

  claim(listingId: string, limit: number): NamedJob[] {
    return (this.waiting.get(listingId) ?? []).splice(0, limit);
  }
}

const names = (jobs: readonly NamedJob[]) => jobs.map(({ name }) => name);

test('any number of hanging listeners leaves a slot for another one', () => {
  const queue = new WaitingJobs();
  for (let slow = 0; slow < 20; slow++) for (let job = 0; job < 20; job++) queue.add(`slow-${slow}`);
  const hanging = claimDue(queue, [], 0);
  expect(hanging).toHaveLength(20 + 64);
  queue.add('healthy', 'healthy-1');
  queue.add('healthy', 'healthy-2');
  expect(names(claimDue(queue, hanging, 0))).toEqual(['healthy-1']);
  expect(names(claimDue(queue, hanging, 0))).toEqual(['healthy-2']);
});

test('one listener has eight slots, filled in the order of its votes', () => {
  const queue = new WaitingJobs();
  for (let index = 0; index < 10; index++) queue.add('one', String(index));
  const first = claimDue(queue, [], 0);
  expect(names(first)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(claimDue(queue, first, 0)).toEqual([]);
  expect(names(claimDue(queue, first.slice(1), 0))).toEqual(['8']);
});
