import { expect, onTestFinished, test } from 'vitest';
import { Delivery } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { ProofAnswer, ProvingServer } from '../../src/delivery/proving-server.ts';
import { THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { MINUTE, quiet, ScriptedServer, startQueue, vote } from './scripted-queue.ts';

/** Answers about marks as the test says; the last answer is given again and again. */
function answering(...answers: readonly ProofAnswer[]): ProvingServer & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
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
}

/** A queue whose game server never replies to a command. */
function proving(...answers: readonly ProofAnswer[]) {
  const proof = answering(...answers);
  const server = Object.assign(new ScriptedServer(), { proof });
  server.outcome = () => ({ kind: 'unknown', reason: 'timeout' });
  const here = startQueue({ server });
  const found = async () => {
    const [grant] = await here.ledger.grants({ limit: 1 });
    return [grant?.state, grant?.reason?.code ?? null];
  };
  return { here, server, asked: proof.asked, found };
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

test.each([
  ['can be asked, is proven there', { proof: answering({ kind: 'ran' }) }, ['delivered', null]],
  ['cannot be asked, is unknown', {}, ['held', 'process-ended']],
] as const)('a command on a game server that was replaced by one that %s', async (_, more, end) => {
  const { here, server, found } = proving({ kind: 'unanswered', reason: 'timeout' });
  await here.queue.close();
  const queueOf = (each: ScriptedServer) => new GameServerQueue({ ...here.parts, server: each });
  const kindByServer = new Map([['main', 'rcon']]);
  const delivery = new Delivery({
    ...{ queues: [queueOf(server)], kindByServer, whileDelivering: [] },
    ...{ ledger: here.ledger, clock: here.clock, log: silentLog },
  });
  await delivery.start();
  onTestFinished(() => delivery.close());
  await vote(here, 'Steve', THANKS);
  delivery.nudge();
  await quiet();
  expect([server.commands, await found()]).toEqual([['say Steve voted'], ['pending', null]]);
  await delivery.replace([queueOf(Object.assign(new ScriptedServer(), more))], kindByServer);
  await quiet();
  expect(await found()).toEqual(end);
});
