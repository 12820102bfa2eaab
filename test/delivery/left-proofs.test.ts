import { expect, test } from 'vitest';
import type { ProofAnswer, ProvingServer } from '../../src/delivery/proving-server.ts';
import { THANKS } from '../support/ledgers.ts';
import { MINUTE, ScriptedServer, startQueue, vote } from './scripted-queue.ts';

/** A queue whose game server never replies, and answers about marks as the test says. */
function proving(...answers: readonly ProofAnswer[]) {
  const asked: string[] = [];
  const proof: ProvingServer = {
    bucket: null,
    prepareAtOnce: () => undefined,
    prepare: async () => ({ mark: 't00000000ab.1', seen: null }),
    prove: async ({ mark }) => {
      asked.push(mark);
      return answers[asked.length - 1] ?? (answers.at(-1) as ProofAnswer);
    },
    canStore: async () => true,
    covers: async () => true,
    remove: async () => true,
  };
  const server = Object.assign(new ScriptedServer(), { proof });
  server.outcome = () => ({ kind: 'unknown', reason: 'timeout' });
  const here = startQueue({ server });
  const found = async () => {
    const [grant] = await here.ledger.grants({ limit: 1 });
    return [grant?.state, grant?.reason?.code ?? null];
  };
  return { here, server, asked, found };
}

test('a question without an answer is asked again, and what it says then counts', async () => {
  const { here, found, asked } = proving({ kind: 'unanswered', reason: 'timeout' }, { kind: 'ran' });
  await vote(here, 'Steve', THANKS);
  expect(await found()).toEqual(['pending', null]);
  await here.pass(MINUTE);
  expect(await found()).toEqual(['delivered', null]);
  expect(asked).toHaveLength(2);
});

test.each([
  ['unanswered', { kind: 'unanswered', reason: 'timeout' }, 'mark-unanswered'],
  ['not understood', { kind: 'not-known', reason: 'mark-unclear' }, 'mark-unclear'],
] as const)('five questions that are %s hold the grant, which says so', async (_, answer, why) => {
  const { here, found, asked } = proving(answer);
  await vote(here, 'Steve', THANKS);
  await here.pass(MINUTE);
  expect(await found()).toEqual(['held', why]);
  expect(asked).toHaveLength(5);
});

test('a command that may still arrive is asked about later, and other grants are paid meanwhile', async () => {
  const { here, server, found, asked } = proving({ kind: 'later', restMs: MINUTE }, { kind: 'ran' });
  await vote(here, 'Steve', THANKS);
  await here.pass(2_000);
  server.outcome = () => ({ kind: 'delivered', reply: 'ok' });
  await vote(here, 'Alex', THANKS);
  expect(await found()).toEqual(['delivered', null]);
  expect(asked).toHaveLength(1);
  await here.pass(MINUTE);
  expect((await here.ledger.grants({ limit: 9 })).map(({ state }) => state)).toEqual([
    'delivered',
    'delivered',
  ]);
  expect(asked).toHaveLength(2);
});
