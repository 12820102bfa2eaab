import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/sqlite/open.ts';
import { serveThread } from '../../platform/sqlite/serve-thread.ts';
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
