import type { Random } from '../../src/core/random.ts';
import { happens, oneOf } from './chance.ts';
import { NEW_SITES, type Site } from './sites.ts';
import type { Ballots, SentVote } from './votes.ts';

const VOTES = 0.3;

/** Players who vote once on each of the sites that have no entry at first. */
export class Newcomers {
  private readonly left: Site[] = [];
  private players = 0;

  constructor(
    private readonly random: Random,
    private readonly ballots: Ballots,
  ) {}

  /** The votes of one player follow each other, so that most of them find the shared window taken. */
  some(): SentVote[] {
    if (!happens(this.random, VOTES)) return [];
    if (this.left.length === 0) this.comeNext();
    const site = oneOf(this.random, this.left);
    this.left.splice(this.left.indexOf(site), 1);
    return [this.ballots.castNow(site, `Newcomer${this.players}`, ['listener-v2'])];
  }

  private comeNext(): void {
    this.players += 1;
    this.left.push(...NEW_SITES);
  }
}
