import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import { claimedTime } from '../../protocol/votifier/vote.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Arrival } from '../core/decide.ts';
import { type PlayerName, parsePlayerName, playerKey } from '../core/player-name.ts';
import { Problem } from '../core/problem.ts';
import { castTime, type Vote } from '../core/vote.ts';
import type { Recorded } from '../ledger/ledger.ts';
import type { ReceivedVote, VoteIntake } from '../listener/vote-intake.ts';
import type { GroupCommit } from './group-commit.ts';
import { matchSite } from './sites.ts';

/** Longer ones are no names; nothing in the wild comes near. */
const SERVICE_MAX_CHARACTERS = 128;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

export interface IntakeParts {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly bedrockPrefixes: readonly string[];
  readonly commit: GroupCommit;
  readonly clock: Clock;
  /** Told of every vote once it is on disk. */
  readonly onRecorded: (vote: Vote, recorded: Recorded) => void;
  /** Told why a vote could not be stored. */
  readonly onUnable: (vote: Vote, problem: Problem) => void;
}

/** The one door for votes into the ledger: site, player name, cast time, identity; then the ledger decides. */
export class Intake implements VoteIntake {
  private readonly parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.parts = parts;
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.parts.sites, serviceName).entry.token?.reveal() ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const judged = this.judge(received);
    if (typeof judged === 'string') return judged;
    try {
      const recorded = await this.parts.commit.record(judged);
      this.parts.onRecorded(judged.vote, recorded);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.parts.onUnable(judged.vote, error);
      return 'ledger-unable';
    }
  }

  private judge(received: ReceivedVote): Arrival | RefusalCode {
    const { serviceName, username } = received.wire;
    if (serviceName === '' || serviceName.length > SERVICE_MAX_CHARACTERS || CONTROL.test(serviceName)) {
      return 'service-not-allowed';
    }
    const name = parsePlayerName(username, this.parts.bedrockPrefixes);
    if (name.kind !== 'name') return `name-${name.kind}`;
    const site = matchSite(this.parts.sites, serviceName);
    return { vote: voteFrom(received, site.key, name.name), cooldownMs: site.entry.cooldownMs };
  }
}

function voteFrom(received: ReceivedVote, site: string, player: PlayerName): Vote {
  const { wire, channel, address, receivedAt, blockDigest, text } = received;
  const claim = claimedTime(wire.timestamp);
  return {
    service: wire.serviceName,
    site,
    recipient: { kind: 'player', key: playerKey(player), player },
    castAt: castTime(claim, receivedAt),
    claim,
    receivedAt,
    channel,
    address: address === '' ? null : address,
    eventId: null,
    blockDigest,
    wire: text,
  };
}
