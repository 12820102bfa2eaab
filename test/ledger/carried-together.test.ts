import { describe, expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import type { Party, Top } from '../../src/rewards/reward.ts';
import { type FreshLedger, freshLedger, record } from '../support/ledgers.ts';
import { fixWhole, party, rulesWith, top } from '../support/parties.ts';
import { reward } from '../support/rewards.ts';
import { arrival, at } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const START_DAY = 20_605;
const JUNE = 677;
const DRAWS = { kind: 'drawn', seed: 0.5 } as const;

/** Votes on sites of their own, and what is paid for them. */
function together() {
  const fresh: FreshLedger = freshLedger();
  const { ledger } = fresh;
  let second = 0;
  const vote = async (parties: readonly Party[], ...players: readonly string[]): Promise<void> => {
    for (const player of players) {
      second += 1;
      const receivedAt = NOON + second * 1_000;
      const cast = arrival({ player, site: `List ${second}`, claim: null, castAt: receivedAt, receivedAt });
      await record(ledger, [cast], rulesWith(...parties));
    }
  };
  const fix = async (...parties: readonly Party[]): Promise<void> => {
    for (const { id, party: name } of await ledger.reachedParties()) {
      const one = parties.find((each) => each.name === name);
      if (one === undefined) throw new Error(`no party ${name}`);
      await fixWhole(
        ledger,
        { id, party: one, present: null, rules: rulesWith(...parties), draws: DRAWS },
        NOON,
      );
    }
  };
  const paid = async (): Promise<readonly string[]> =>
    (await ledger.grants({ limit: 99 }))
      .map((grant) => `${grant.player}: ${grant.reward}, ${grant.occasion}`)
      .toReversed();
  const progress = async (): Promise<readonly string[]> =>
    (await ledger.partyProgress()).map((each) => `${each.party}: ${each.counted} for ${each.number}`);
  const wrong = async () => (await wrongCountsOf(ledger)).parties;
  return { ...fresh, vote, fix, paid, progress, wrong };
}

const OLD = party('old');
const NEW = party('new', { was: ['old'] });

describe('a party with another name', () => {
  test('goes on with its count, and pays also those who voted under its old name', async () => {
    const { vote, fix, paid, progress, wrong } = together();
    await vote([OLD], 'Alex', 'Steve');
    await vote([NEW], 'Sasha');
    await fix(NEW);
    expect(await paid()).toEqual(['Alex', 'Steve', 'Sasha'].map((player) => `${player}: new, party 1`));
    await vote([NEW], 'Robin');
    expect(await progress()).toEqual(['new: 1 for 2']);
    expect(await wrong()).toEqual([]);
  });

  test('goes on with its number, so that no party is paid again', async () => {
    const { vote, fix, paid } = together();
    await vote([OLD], 'Alex', 'Alex', 'Alex');
    await fix(OLD);
    await vote([NEW], 'Alex', 'Alex', 'Alex');
    await fix(NEW);
    expect(await paid()).toEqual(['Alex: old, party 1', 'Alex: new, party 2']);
  });

  test('pays what was reached under its old name', async () => {
    const { ledger, vote, fix, paid } = together();
    await vote([OLD], 'Alex', 'Steve', 'Alex');
    await ledger.useConfig({ rewards: [NEW], today: START_DAY });
    await fix(NEW);
    expect(await paid()).toEqual(['Alex: new, party 1', 'Steve: new, party 1']);
  });

  test('loses a vote from before that the operator voids', async () => {
    const { ledger, vote, progress, wrong } = together();
    await vote([OLD], 'Alex', 'Steve');
    await vote([NEW]);
    await ledger.useConfig({ rewards: [NEW], today: START_DAY });
    await ledger.voidVotes([1], { by: 'root', reason: 'a bot' }, NOON);
    expect(await progress()).toEqual(['new: 1 for 1']);
    expect(await wrong()).toEqual([]);
  });

  test('leaves its old name to a new one, which counts and pays by itself', async () => {
    const { vote, fix, paid, progress, wrong } = together();
    await vote([OLD], 'Alex', 'Steve');
    const other = party('old', { every: 2 });
    const tuesdays: Party = { ...NEW, if: { weekday: ['tue'] } };
    await vote([tuesdays, other], 'Robin', 'Zoe');
    await fix(tuesdays, other);
    expect(await paid()).toEqual(['Robin: old, party 1', 'Zoe: old, party 1']);
    expect(await progress()).toEqual(['new: 2 for 1', 'old: 0 for 2']);
    expect(await wrong()).toEqual([]);
  });

  test('counts a vote whose service is listed after that', async () => {
    const { ledger, vote, fix, paid, wrong } = together();
    const unlisted = arrival({
      ...{ player: 'Late', service: 'New list', site: 'default', claim: null },
      ...{ castAt: NOON, receivedAt: NOON },
    });
    const first = arrival({
      ...unlisted.vote,
      player: 'Late',
      service: 'Other list',
      receivedAt: NOON - 1,
      castAt: NOON - 1,
    });
    await record(ledger, [first, unlisted], rulesWith(OLD));
    await vote([NEW], 'Alex');
    const sites = [{ service: 'New list', site: 'New list', cooldown: unlisted.cooldown, countsAll: false }];
    const after = NOON + 60_000;
    await ledger.keepListed(['New list'], after);
    const order = { sites, rules: rulesWith(NEW), draws: [ALL_WON, ALL_WON] };
    expect(await ledger.payUnlisted(order, after)).toMatchObject({ votes: 1 });
    await fix(NEW);
    expect(await paid()).toEqual(['Late: new, party 1', 'Alex: new, party 1']);
    expect(await wrong()).toEqual([]);
  });

  test('made of several goes on with the one that is known longest, and counts the parties of all', async () => {
    const { ledger, vote, fix, paid, progress, wrong } = together();
    const [days, nights] = [party('days'), party('nights')];
    await ledger.useConfig({ rewards: [days], today: START_DAY });
    await vote([days], 'Alex', 'Alex', 'Alex', 'Sasha');
    await fix(days);
    await vote([nights], 'Steve', 'Robin', 'Steve', 'Zoe');
    await ledger.useConfig({ rewards: [party('both', { was: ['nights', 'days'] })], today: START_DAY });
    await fix(party('both'));
    expect(await paid()).toEqual(['Alex: days, party 1', 'Steve: both, party 2', 'Robin: both, party 2']);
    expect(await progress()).toEqual(['both: 1 for 3']);
    expect(await wrong()).toEqual([]);
  });
});

test('a party starts at one although a reward has carried on an earlier party (rule 14)', async () => {
  const { ledger, vote, progress } = together();
  await ledger.useConfig({ rewards: [reward('plain')], today: START_DAY });
  await vote([OLD], 'Alex', 'Alex');
  await ledger.useConfig({ rewards: [reward('one', { was: ['plain', 'old'] })], today: START_DAY });
  await vote([party('later')], 'Alex');
  expect((await progress()).at(-1)).toBe('later: 1 for 1');
});

test('an entry can be renamed and renamed back before anyone votes', async () => {
  const { ledger, vote, progress } = together();
  await vote([OLD], 'Alex');
  for (const [name, was] of [
    ['new', 'old'],
    ['old', 'new'],
    ['new', 'old'],
    ['old', 'new'],
  ] as const) {
    await ledger.useConfig({ rewards: [party(name, { was: [was] })], today: START_DAY });
  }
  await vote([OLD], 'Steve');
  expect(await progress()).toEqual(['old: 2 for 1']);
});

describe('a top with another name', () => {
  const best = top('best');
  const champions = top('champions', { was: ['best'] });
  const use = async ({ ledger }: FreshLedger, ...tops: readonly Top[]): Promise<void> => {
    await ledger.useConfig({ rewards: tops, today: START_DAY });
    await ledger.useConfig({ tops, today: START_DAY });
  };
  const settleJune = ({ ledger }: FreshLedger, one: Top): Promise<number | null> => {
    const places = [{ place: 1, recipientId: 1, player: 'Alex', votes: 2, reachedAt: NOON }];
    return ledger.settleTop(
      { top: one, period: JUNE, endedAt: 0, places, rules: rulesWith(), draws: DRAWS },
      NOON,
    );
  };

  test('is not paid again for a period that was paid under its old name, and shows its places', async () => {
    const one = together();
    await one.vote([], 'Alex');
    await use(one, best);
    expect(await settleJune(one, best)).toBe(1);
    await use(one, champions);
    expect(await one.ledger.dueTop(champions, JUNE)).toBeNull();
    expect(await settleJune(one, champions)).toBe(0);
    expect(await one.paid()).toEqual(['Alex: best, top 2026-06 place 1']);
    expect(await one.ledger.settledPlaces(champions, JUNE)).toMatchObject([{ place: 1, player: 'Alex' }]);
    expect(await one.ledger.settledPlaces(best, JUNE)).toBeNull();
  });

  test('is paid for the periods since its old name was first in a config', async () => {
    const one = together();
    await use(one, best);
    await one.ledger.useConfig({ rewards: [champions], today: START_DAY + 60 });
    await one.ledger.useConfig({ tops: [champions], today: START_DAY + 60 });
    expect(await one.ledger.dueTop(champions, JUNE)).toBe(JUNE);
  });

  test('made of several is not paid for a period that one of them was paid for', async () => {
    const one = together();
    await one.vote([], 'Alex');
    await use(one, best, top('most'));
    await settleJune(one, top('most'));
    const merged = top('champions', { was: ['best', 'most'] });
    await use(one, merged);
    expect(await one.ledger.dueTop(merged, JUNE)).toBeNull();
    await use(one, top('later'));
    expect(await one.ledger.dueTop(top('later'), JUNE)).toBe(JUNE);
  });
});
