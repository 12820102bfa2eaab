import { serveThread } from '../../db/worker.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ListingPlace } from './threaded.ts';
import { listingWork, openListingFile } from './work.ts';

serveThread(
  ({ file, mode }: ListingPlace) => ({ work: listingWork(openListingFile(file, mode)), facts: null }),
  systemClock.monotonic,
);
