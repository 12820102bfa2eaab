/** The listing service with its database on threads of its own, as in production. */
import { expect, test } from 'vitest';
import { hooked } from '../kit/listing-webhook.ts';

test('it casts votes, delivers them, shows each at once, and keeps them across a restart', async () => {
  const scene = await hooked({ isThreaded: true, fields: { secret: 'generate' } });
  const { site, owner, listed, receiver, states } = scene;
  await scene.votes(2, 204, 404);
  expect((await states()).toSorted()).toEqual(['delivered', 'undelivered']);
  receiver.answers = [204];
  for (const { id } of await scene.events('?state=undelivered')) await scene.redeliver(id);
  expect(receiver.requests).toHaveLength(3);
  await scene.test();
  await site.restart();
  expect((await owner.values(listed.dashboard)).votes).toMatchObject({ votes: 2, voters: 2 });
  expect((await states()).toSorted()).toEqual(['delivered', 'delivered', 'delivered']);
});

test('a vote is in every answer that follows it, and one of several simultaneous ones by a user counts', async () => {
  const { site, owner, listed } = await hooked({ isThreaded: true });
  for (let cast = 1; cast <= 10; cast++) {
    await site.cast(listed);
    const seen = await Promise.all(Array.from({ length: 4 }, () => owner.values(listed.page)));
    expect(seen.map(({ votes, voters }) => [votes, voters])).toEqual(Array(4).fill([cast, cast]));
  }
  const votes = await Promise.all(Array.from({ length: 20 }, () => owner.tryVote(listed)));
  expect(votes.map(({ code }) => code ?? 'counted').toSorted()).toEqual([
    ...['counted', ...Array(19).fill('too-early')],
  ]);
});
