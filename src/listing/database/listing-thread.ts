import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { serveThread } from '../../sqlite/serve-thread.ts';
import { listingSchema } from '../store/schema.ts';
import type { ListingPlace } from './threaded.ts';
import { listingWork } from './work.ts';

serveThread(
  ({ file, mode }: ListingPlace) => ({
    work: listingWork(openDatabase(file, listingSchema, mode)),
    facts: null,
  }),
  systemClock.monotonic,
);
