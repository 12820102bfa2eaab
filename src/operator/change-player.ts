import type { Config } from '../config/config.ts';
import { type PlayerName, parseVotedName } from '../core/player-name.ts';
import { Problem } from '../core/problem.ts';
import type { ForgetProgress, Ledger, PlayerRefusal } from '../ledger/ledger.ts';

/** Who changes a player, and when. */
export interface Changer {
  readonly by: string;
  readonly now: number;
}

/** What is wrong and what to do, by the names as they were typed. */
const sentences: Readonly<Record<PlayerRefusal, (name: string, into: string) => string>> = {
  'player-missing': (name, into) =>
    `the ledger knows no player called ${into === '' ? name : `${name} or none called ${into}`}, so nothing was changed; check the spelling`,
  'players-same': (name, into) => `${name} and ${into} are one player already, so nothing was changed`,
  'players-differ': (name, into) =>
    `game servers have shown ${name} and ${into} with two UUIDs of the same kind, so they are two players and nothing was changed`,
  'players-shared-name': (name, into) =>
    `${name} and ${into} have had the same name at different times, so their votes could not be told apart again, and nothing was changed`,
  'player-not-joined': (name) =>
    `${name} was not joined to another name, so nothing was changed; \`teller players show ${name}\` lists the names that were`,
};

export const refusal = (code: PlayerRefusal, name: string, into = ''): Problem =>
  new Problem(code, sentences[code](name, into));

/** @throws Problem `player-not-allowed` */
export function readPlayer(text: string, { players }: Config): PlayerName {
  const read = parseVotedName(text, players.bedrockPrefixes);
  if (read.kind === 'name') return read.name;
  throw new Problem('player-not-allowed', `${JSON.stringify(text)} cannot be the name of a player`);
}

/** @throws Problem a `PlayerRefusal` */
export async function mergePlayers(
  ledger: Ledger,
  names: { readonly name: PlayerName; readonly into: PlayerName },
  { by, now }: Changer,
): Promise<void> {
  const changed = await ledger.mergePlayers({ ...names, by }, now);
  if (changed.kind === 'refused') throw refusal(changed.code, names.name, names.into);
}

/** @throws Problem `player-missing`, `player-not-joined` */
export async function splitPlayer(ledger: Ledger, name: PlayerName, { by, now }: Changer): Promise<void> {
  const changed = await ledger.splitPlayer({ name, by }, now);
  if (changed.kind === 'refused') throw refusal(changed.code, name);
}

/** Shorter than a vote waits for a ledger that is locked. */
const ERASE_PATIENCE_MS = 1_000;

export interface ForgottenPlayer {
  /** What stands for the player now. */
  readonly name: string;
  /** False: another program read the ledger, so the running Teller, or the next one, erases from the disk what said who they were. */
  readonly isErased: boolean;
}

/**
 * Portion by portion, so that votes that arrive meanwhile do not wait for all of it.
 *
 * @throws Problem `player-missing`
 */
export async function forgetPlayer(
  ledger: Ledger,
  name: PlayerName,
  { by, now }: Changer,
): Promise<ForgottenPlayer> {
  let progress: ForgetProgress | null = null;
  for (;;) {
    const step = await ledger.forgetPlayer({ name, by }, progress, now);
    if (step.kind === 'refused') throw refusal(step.code, name);
    if (step.kind === 'forgotten')
      return { name: step.name, isErased: await ledger.erase(ERASE_PATIENCE_MS) };
    progress = step.progress;
  }
}
