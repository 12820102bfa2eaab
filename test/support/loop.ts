import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { SAMPLE_NAMES } from '../../src/listing/accounts/first-accounts.ts';
import { ensureSamples, type Samples } from '../../src/listing/samples.ts';
import type { ListingService } from '../../src/listing/service.ts';
import { startLoop } from '../../src/main/loop.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { PracticeClock } from '../../src/platform/practice-clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { PASSWORD } from '../kit/listing-people.ts';
import { Reader } from '../kit/page.ts';
import { furnish } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { openSharedLedger } from './environment.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { temporaryFolder } from './folder.ts';
import { openImpatiently } from './listing-in-process.ts';
import { silentLog } from './log.ts';

export const OWNER = 'olga-owner';

/** The listing whose votes are paid. */
export const CRAFT = 'Sample Craft';

export type RunningLoop = Awaited<ReturnType<typeof runningLoop>>;

/** The loop in this process, with its sample people and listings. */
export async function runningLoop() {
  const { folder, config } = furnish(temporaryFolder(), {
    listing: { port: 0 },
    sites: { default: { token: TOKEN } },
    rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }],
  });
  const clock = new PracticeClock(systemClock, join(folder, 'practice-clock.json'));
  const loop = await startLoop(await loadConfig(config), {
    ...{ clock, random: systemRandom, log: silentLog, protocol: 'v2' },
    open: { listing: openImpatiently, ledger: openSharedLedger(clock) },
    samples: (service) => samplesOf(service, clock),
    onDelivery: () => {},
  });
  onTestFinished(() => loop.close());
  const { url } = loop.listing;
  return {
    ...loop,
    // The addresses of the pages, and of the dashboard of the listing whose votes are paid.
    ...{ url, dashboard: `${url}/dashboard/${loop.minecraft.id}` },
    /** The listener's. */
    publicKey: readFileSync(join(folder, 'data/keys/public.key'), 'utf8'),
    diamonds: (player: string): number =>
      loop.app.practiceServers.get('main')?.inventory(player).diamond ?? 0,
    /** A fake browser that is signed in. */
    visitor: (name: string) => signedIn(url, name, PASSWORD),
  };
}

/** At the lowest cost of scrypt, so that tests do not wait for what makes guessing slow. */
const QUICK_HASH = new Passwords(systemRandom, { ln: 1, r: 8, p: 1 }).hash(PASSWORD);

/** Creates the sample people first, with passwords that are fast to check. */
async function samplesOf({ store, accounts }: ListingService, clock: PracticeClock): Promise<Samples> {
  const hash = await QUICK_HASH;
  const { owner, manager, voters } = SAMPLE_NAMES;
  for (const name of [owner, manager, ...voters]) await accounts.accounts.addHashed(name, hash);
  return ensureSamples({ store, accounts, clock, random: systemRandom }, () => PASSWORD);
}

/** Signs in with the page's form. */
export async function signedIn(url: string, name: string, password: string): Promise<FakeBrowser> {
  const visitor = new Reader(url).cookies;
  await visitor.get('/sign-in');
  const { status, to } = await visitor.post('/sign-in', { name, password });
  if (to !== '/dashboard') throw new Error(`${name} is not signed in: ${status}`);
  return visitor;
}
