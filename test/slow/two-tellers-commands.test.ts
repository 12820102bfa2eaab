import { describe, expect, test } from 'vitest';
import {
  expectRightCounts,
  expectStates,
  numbered,
  SOON,
  type TwoTellers,
  twoTellers,
} from './two-tellers-fixture.ts';

const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted on {service}'] };

describe('while two processes record and one of them pays', { timeout: 60_000 }, () => {
  test('`pause` of a third stops both, also after the lock has passed over, and `resume` pays each once', async () => {
    const here = await twoTellers({ rewards: [THANKS] });
    const [holder, other] = [await here.run(), await here.run()];
    await here.voteInTurn([holder, other], [['Alex'], ['Steve']]);
    const look = here.look();
    await expectStates(look, { delivered: 2 });
    expect((await here.command('pause')).code).toBe(0);
    await here.voteInTurn([holder, other], [['Sasha'], ['Robin']]);
    await holder.kill();
    await expect.poll(() => other.log().includes('"code":"delivering"'), SOON).toBe(true);
    await here.voteInTurn([other, other], [['Kim']]);
    expect((await look.grants({ state: 'delivered', limit: 9 })).length).toBe(2);
    expect(here.ran()).toHaveLength(2);
    expect((await here.command('resume')).code).toBe(0);
    await expectStates(look, { delivered: 5 });
    expect(here.ran().toSorted()).toEqual(
      ['Alex', 'Kim', 'Robin', 'Sasha', 'Steve'].map((player) => `say ${player} voted on List`),
    );
  });

  const LISTS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  const ALL_PAID = LISTS.map((list) => `say Steve voted on ${list}`).toSorted();

  /** Steve votes on six unlisted sites; the first takes the window that they share. */
  async function voteUnlisted(here: TwoTellers, start: () => ReturnType<TwoTellers['run']>) {
    const both = [await start(), await here.run()] as const;
    await here.voteInTurn(
      both,
      LISTS.map((list) => ['Steve', list]),
    );
    const look = here.look();
    await expectStates(look, { delivered: 1 });
    return { both, look };
  }

  test('`sites add` pays each vote of its service once', async () => {
    const here = await twoTellers({ rewards: [THANKS] });
    const { both, look } = await voteUnlisted(here, here.run);
    for (const some of [LISTS.slice(0, 3), LISTS.slice(3)]) {
      const added = here.command('sites', 'add', ...some, '--yes');
      await here.voteInTurn(
        both,
        some.map((list) => [`Voter${list}`, list]),
      );
      expect((await added).code).toBe(0);
    }
    await expectStates(look, { delivered: 12 });
    expect(
      here
        .ran()
        .filter((command) => command.includes('Steve'))
        .toSorted(),
    ).toEqual(ALL_PAID);
    expect(new Set(here.ran()).size).toBe(12);
    await expectRightCounts(look);
  });

  test.each(['before-payUnlisted', 'after-payUnlisted'] as const)(
    'the votes of a service that `sites add` lists are paid once by the other process if the one that pays dies %s',
    async (point) => {
      const here = await twoTellers({ rewards: [THANKS] });
      const { both, look } = await voteUnlisted(here, () => here.runDying(point));
      await Promise.all([here.command('sites', 'add', ...LISTS, '--yes'), both[0].ended()]);
      await expectStates(look, { delivered: 6 });
      expect(here.ran().toSorted()).toEqual(ALL_PAID);
      await expectRightCounts(look);
    },
  );
});

const SITES = numbered('Site', 120);

describe('a player whom a command changes while two processes record and pay their votes', {
  timeout: 60_000,
}, () => {
  /** Each votes on sites of their own, both at the same time, and in the end all votes were accepted. */
  async function voting(here: TwoTellers) {
    const both = [await here.run(), await here.run()] as const;
    let sent = 0;
    const send = async (): Promise<void> => {
      for (const [at, site] of SITES.slice(0, 60).entries()) {
        const answers = [here.vote(both[0], 'Alex', site), here.vote(both[1], 'Sasha', SITES[60 + at])];
        expect(await Promise.all(answers)).toEqual(['accepted', 'accepted']);
        sent += 2;
      }
    };
    return { all: send(), sent: () => sent };
  }

  test('merged and split again and again, loses no vote and no grant, and is paid each once', async () => {
    const here = await twoTellers({ sites: SITES, rewards: [THANKS] });
    const { all, sent } = await voting(here);
    await expect.poll(sent, SOON).toBeGreaterThan(4);
    for (let round = 0; round < 3; round++) {
      expect((await here.command('players', 'merge', 'Sasha', '--into', 'Alex', '--yes')).code).toBe(0);
      expect((await here.command('players', 'split', 'Sasha', '--yes')).code).toBe(0);
    }
    await all;
    const look = here.look();
    await expectStates(look, { delivered: 120 });
    expect(new Set(here.ran()).size).toBe(120);
    expect(here.ran()).toHaveLength(120);
    const of = (votes: readonly { readonly recipient: string; readonly player: string | null }[]) =>
      new Set(votes.map(({ recipient, player }) => `${player} of ${recipient}`));
    const votes = await look.votes({ limit: 999 });
    expect([votes.length, of(votes)]).toEqual([120, new Set(['Alex of alex', 'Sasha of sasha'])]);
    await expectRightCounts(look);
  });

  test('forgotten, keeps all counts and is paid nothing twice, and nothing recorded until then names them', async () => {
    const here = await twoTellers({ sites: SITES, rewards: [THANKS] });
    const { all, sent } = await voting(here);
    await expect.poll(sent, SOON).toBeGreaterThan(4);
    const { code } = await here.command('players', 'forget', 'Sasha', '--yes');
    expect(code).toBe(0);
    await all;
    const look = here.look();
    await expect
      .poll(async () => Object.keys(await look.grantStates()).toSorted(), SOON)
      .not.toContain('pending');
    const { delivered = 0, cancelled = 0, held = 0 } = await look.grantStates();
    expect([delivered + cancelled, held]).toEqual([120, 0]);
    expect(here.ran()).toHaveLength(delivered);
    expect(new Set(here.ran()).size).toBe(delivered);
    const votes = await look.votes({ limit: 999 });
    const isForgotten = ({ recipient }: { recipient: string }) => recipient.startsWith('forgotten');
    expect(votes).toHaveLength(120);
    expect(votes.filter(isForgotten).length).toBeGreaterThan(0);
    for (const { player } of votes.filter(isForgotten)) expect(player).toMatch(/^forgotten/);
    await expectRightCounts(look);
  });
});
