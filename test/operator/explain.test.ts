import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { contextOf, explain } from '../../src/operator/explain.ts';
import { type Operator, operator, refusal } from '../commands/operator.ts';

const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

const load = ({ config }: Operator) => loadConfig(config, { missingSecrets: 'defer' });

const explained = async (one: Operator, name: string) =>
  explain(name, 20, one.ledger, await load(one), { clock: one.clock, isRunning: true });

test('shows a player’s votes with their grants, newest last', async () => {
  const one = await operator({ rewards: [THANKS] });
  await one.vote('Steve', 'List', { at: '2026-06-01T12:00:00Z' });
  await one.vote('Steve', 'List', { at: '2026-06-01T13:00:00Z' });
  expect((await explained(one, 'sTEVE')).traces).toMatchObject([
    { vote: { id: 1, decision: 'rewarded' }, takenBy: null, grants: [{ id: 1, reward: 'thanks' }] },
    { vote: { id: 2, decision: 'cooldown' }, takenBy: { id: 1 }, grants: [] },
  ]);
});

test('shows similar names and refusals of the last week if there is no vote', async () => {
  const one = await operator({ rewards: [THANKS] });
  await one.vote('Steve', 'List');
  await one.ledger.countRefusals([
    refusal('v2-signature', 'List', '2026-06-01T11:00:00Z', 2),
    refusal('v2-signature', 'Ancient', '2026-05-20T11:00:00Z'),
  ]);
  expect(await explained(one, 'Stevee')).toMatchObject({
    traces: [],
    isAllowed: true,
    otherNames: ['steve'],
    refusals: [{ service: 'List', code: 'v2-signature', count: 2 }],
  });
});

test('shows only refusals after the latest vote', async () => {
  const one = await operator({ rewards: [THANKS] });
  await one.vote('Steve', 'List', { at: '2026-06-01T12:00:00Z' });
  await one.ledger.countRefusals([
    refusal('v2-signature', 'Before', '2026-06-01T11:00:00Z'),
    refusal('v2-signature', 'After', '2026-06-01T12:30:00Z'),
  ]);
  one.clock.set('2026-06-01T13:00:00Z');
  expect((await explained(one, 'Steve')).refusals).toMatchObject([{ service: 'After' }]);
});

test('says that a name is not allowed if no player can have it', async () => {
  const one = await operator();
  expect(await explained(one, 'no such player!')).toMatchObject({ traces: [], isAllowed: false });
});

test('reports no patterns and no queue for a game server that is not in the config', async () => {
  const one = await operator({ rewards: [THANKS] });
  await one.vote('Steve', 'List');
  const explanation = await explained(one, 'Steve');
  const grant = { ...explanation.traces[0]!.grants[0]!, server: 'gone' };
  expect(contextOf(grant, await load(one), explanation)).toEqual({
    patterns: { refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
    queue: null,
    pauses: [],
  });
});
