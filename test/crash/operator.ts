import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { typedApart } from '../kit/apart.ts';
import type { Place } from '../kit/place.ts';
import type { Seeded } from '../support/seeded.ts';
import { NEW_SITES } from './sites.ts';

const DOES_SOMETHING = 0.3;
const TRIES = 5;
/** The game server that is paused. */
const PAUSED_SERVER = 'sky';
/** Game servers whose queues a reload replaces, whatever they are sending. */
const RELOADED = ['main', 'sky', 'realm', 'city'] as const;

/** A time in which the game server is certainly paused, in ms since the Unix epoch. */
export interface PausedTime {
  readonly from: number;
  readonly until: number;
}

/**
 * Gives sites their entries, pauses a game server, and edits the config and reloads it, by the real commands, whatever happens to
 * Teller meanwhile.
 *
 * @param within words before each command: see `typedApart`.
 */
export function operatorAt(place: Place, random: Seeded, within: readonly string[]) {
  const paused: PausedTime[] = [];
  let pausedFrom: number | null = null;
  let sites = 0;
  let doing: Promise<void> | null = null;
  let edits = 0;
  const read = () => JSON.parse(readFileSync(place.config, 'utf8'));
  /** @returns whether it ended with success. */
  const type = async (...words: readonly string[]) => (await typedApart(place, words, within)).code === 0;
  const pause = async (): Promise<void> => {
    if (await type('pause', '--server', PAUSED_SERVER)) pausedFrom = Date.now();
  };
  const resume = async (): Promise<void> => {
    const until = Date.now();
    if (!(await type('resume', '--server', PAUSED_SERVER))) return;
    paused.push({ from: pausedFrom ?? until, until });
    pausedFrom = null;
  };
  /** The command may be right to fail: the Teller that should reload its config may have been killed. */
  const addSite = async (): Promise<void> => {
    const site = NEW_SITES[sites];
    if (site === undefined) return;
    await type('sites', 'add', site.name, '--yes');
    if (site.name in read().sites) sites += 1;
  };
  return {
    paused,
    /** How often the config was edited. */
    edits: () => edits,
    /** In some lifetimes does the next thing, unless they are still busy. */
    startLifetime: (): void => {
      if (doing !== null || !random.chance(DOES_SOMETHING)) return;
      const next = pausedFrom !== null ? resume : random.chance(0.5) ? pause : addSite;
      doing = next().finally(() => {
        doing = null;
      });
    },
    /**
     * Edits the config for the next reload: it replaces a queue, and changes what listener, webhooks and retention go by, but no
     * reward.
     *
     * @returns whether it is edited: while a command may edit it, it is not.
     */
    edit: (): boolean => {
      if (doing !== null) return false;
      const config = read();
      edits += 1;
      config.gameServers[RELOADED[edits % RELOADED.length] ?? 'main'].presenceInterval = `${100 + edits}ms`;
      config.keep = { addresses: `${30 + edits}d` };
      config.listener.deadline = `${5_000 + edits}ms`;
      // The port for webhooks stays open: a site that only this edit has comes and goes.
      const webhook = { path: '/nobody', secret: 'nobody-knows-this', listingId: '1' };
      if (edits % 2 === 0) delete config.sites['Nobody votes here'];
      else config.sites['Nobody votes here'] = { webhook };
      writeFileSync(`${place.config}.next`, JSON.stringify(config), { mode: 0o600 });
      renameSync(`${place.config}.next`, place.config);
      return true;
    },
    /** Ends the pause, and gives all sites that have none yet their entries. */
    finish: async (): Promise<void> => {
      await doing;
      for (let tries = 0; pausedFrom !== null && tries < TRIES; tries++) await resume();
      for (let tries = 0; sites < NEW_SITES.length && tries < NEW_SITES.length * TRIES; tries++)
        await addSite();
    },
  };
}
