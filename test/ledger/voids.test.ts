import { describe, expect, test } from 'vitest';
import { type Cast, june, ledgers, NOON, reward } from '../kit/ledgers.ts';

/** A vote on a date of June 2026, at noon. */
const on = (date: number, more: Partial<Cast> & { readonly hour?: number } = {}): Cast => {
  const { hour = 12, ...rest } = more;
  return { at: june(date, hour), ...rest };
};
const total = (more: object = {}, name = 'total') => reward(name, { if: { votes: { at: [2], ...more } } });

describe('a vote that the operator voids', () => {
  test('says who voided it, when and why, and keeps its window and its grants', async () => {
    const ledger = await ledgers({ rewards: [reward('each')] });
    await ledger.vote(on(1));
    expect(await ledger.void(1)).toEqual({ kind: 'voided' });
    expect(await ledger.vote(on(1, { hour: 14 }))).toEqual(['cooldown']);
    expect(await ledger.votes()).toMatchObject([
      { decision: 'rewarded', voided: { at: NOON, by: 'ann', reason: 'forged' } },
      { decision: 'cooldown', takenBy: 1, voided: null },
    ]);
    expect(await ledger.owed()).toEqual(['Steve each: pending']);
  });

  test('is in no total of its player, site, day, month or of the network', async () => {
    const of = ['total', 'site', 'day', 'month', 'network'];
    const ledger = await ledgers({ rewards: of.map((scope) => total({ of: scope }, scope)) });
    await ledger.vote(on(1));
    await ledger.void(1);
    await ledger.vote(on(2), on(2, { on: 'Other', hour: 13 }));
    const last = await Promise.all(of.map(async (name) => (await ledger.judged(name)).at(-1)));
    expect(last).toEqual([
      ['total 2'],
      'votes',
      ['day 2026-06-02 total 2'],
      ['month 2026-06 total 2'],
      ['network 2'],
    ]);
    expect(await ledger.wrong()).toMatchObject({ recipients: [], network: false });
  });

  test('no longer marks its day, so that a run is cut in two, until another vote marks it', async () => {
    const ledger = await ledgers({ rewards: [reward('streak', { if: { streak: 5 } })] });
    await ledger.vote(on(1), on(2), on(3), on(4));
    await ledger.void(3);
    await ledger.vote(on(5), on(3, { on: 'Other' }));
    expect((await ledger.judged('streak')).slice(-2)).toEqual(['streak', ['streak 5 reached 2026-06-05']]);
  });

  test('no longer counts for all sites, nor as the last vote of a player who returns', async () => {
    const both = reward('both', { if: { allSites: { sites: ['List', 'Other'] } } });
    const ledger = await ledgers({ rewards: [both, reward('back', { if: { returning: '5d' } })] });
    await ledger.vote(on(1), on(9), on(10));
    await ledger.void(2, 3);
    await ledger.vote(on(10, { on: 'Other' }));
    expect((await ledger.judged('both')).at(-1)).toBe('allSites');
    expect((await ledger.judged('back')).at(-1)).toEqual(['return 2026-06-10']);
  });

  test('is taken out of the totals also if it only counted there', async () => {
    const ledger = await ledgers({ sites: { List: { counts: 'all' } }, rewards: [total()] });
    await ledger.vote(on(1), on(1, { hour: 13 }));
    await ledger.void(2);
    await ledger.vote(on(2));
    expect(await ledger.judged('total')).toEqual(['votes', ['total 2'], 'occasion-spent']);
  });

  test('is not counted by the process that delivers, if another one voids it', async () => {
    const ledger = await ledgers({ rewards: [total()] });
    await ledger.startDelivering();
    await ledger.vote(on(1));
    await (await ledger.another()).void(1);
    await ledger.vote(on(2), on(3));
    expect(await ledger.judged('total')).toEqual(['votes', 'votes', ['total 2']]);
  });
});

describe('a total that is reached again after a void', () => {
  test('is not granted a second time (rule 14)', async () => {
    const ledger = await ledgers({ rewards: [total()] });
    await ledger.vote(on(1), on(2));
    await ledger.void(1);
    await ledger.vote(on(3));
    expect(await ledger.judged('total')).toEqual(['votes', ['total 2'], 'occasion-spent']);
  });

  test('is granted if it never was', async () => {
    const onOther = reward('total', { if: { site: 'Other', votes: { at: [2] } } });
    const ledger = await ledgers({ rewards: [onOther] });
    await ledger.vote(on(1), on(2));
    await ledger.void(1);
    await ledger.vote(on(3, { on: 'Other' }));
    expect(await ledger.judged('total')).toEqual(['site', 'site', ['total 2']]);
  });

  test.each([
    ['total', 'total 4'],
    ['site', 'site List total 4'],
    ['month', 'month 2026-06 total 4'],
    ['network', 'network 4'],
  ])('is not granted if it was reached before the reward started: of the %s', async (of, occasion) => {
    const ledger = await ledgers();
    await ledger.vote(on(1), on(2), on(3));
    await ledger.use({ rewards: [total({ at: [2, 3, 4], of })] }, june(4, 0));
    await ledger.void(1, 2);
    await ledger.vote(on(4), on(5), on(6));
    expect((await ledger.judged('total')).slice(-3)).toEqual(['before-start', 'before-start', [occasion]]);
  });

  test('is granted if the void came before the reward started', async () => {
    const ledger = await ledgers();
    await ledger.vote(on(1), on(2));
    await ledger.void(1);
    await ledger.use({ rewards: [total()] }, june(4, 0));
    await ledger.vote(on(4));
    expect((await ledger.judged('total')).at(-1)).toEqual(['total 2']);
  });
});

test('a streak that was reached before the reward started is not paid because a vote of it was voided', async () => {
  const ledger = await ledgers();
  await ledger.vote(on(1), on(2), on(3));
  await ledger.use({ rewards: [reward('streak', { if: { streak: 3 } })] }, june(3, 0));
  await ledger.void(1);
  await ledger.vote(on(4));
  expect((await ledger.judged('streak')).at(-1)).toBe('before-start');
});

test.each([
  ['does not exist', 9, 'vote-missing'],
  ['is voided already', 1, 'vote-voided'],
])('if one of the votes %s, none is voided', async (_, id, code) => {
  const ledger = await ledgers();
  await ledger.vote(on(1), on(2));
  await ledger.void(1);
  expect(await ledger.void(2, id)).toEqual({ kind: 'refused', code, id });
  expect(await ledger.votes({ id: 2 })).toMatchObject([{ voided: null }]);
});

test('if a void cannot be stored completely, no total and no vote has changed', async () => {
  const ledger = await ledgers({ rewards: [total({ at: [4] })] });
  await ledger.vote(on(1), on(1, { on: 'Other' }), on(1, { player: 'Alex' }));
  const repair = ledger.failing('UPDATE OF counts_anyway ON votes WHEN NEW.id = 2');
  await expect(ledger.void(1, 2)).rejects.toMatchObject({ code: 'ledger-failed' });
  repair();
  expect((await ledger.votes()).map(({ voided }) => voided)).toEqual([null, null, null]);
  await ledger.vote(on(2), on(3));
  expect((await ledger.judged('total')).at(-1)).toEqual(['total 4']);
});
