import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Problem } from '../../src/core/problem.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { threaded } from '../../src/platform/sqlite/threaded.ts';
import { startThread, startThreadEarly, type Thread } from '../../src/platform/thread.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compiled, compiledThread } from '../support/processes.ts';
import { type Words, wordsKinds } from '../support/words-work.ts';

const THREAD = join(import.meta.dirname, '../support/calls-thread.ts');
const fromClone = (): Thread => startThread(pathToFileURL(THREAD), null);

interface Given {
  readonly start?: () => Thread;
  readonly early?: Thread;
  readonly file?: string;
}

async function words({ start = compiledThread(THREAD), early, file }: Given = {}) {
  const place = { file: file ?? join(temporaryFolder(), 'words.db') };
  const [news, ended]: [unknown[], Problem[]] = [[], []];
  const { calls, facts } = await threaded<Words>(wordsKinds, {
    ...{ clock: systemClock, patienceMs: 0, start, early: early ?? null },
    writer: { ...place, mode: 'create' },
    reader: { ...place, mode: 'read' },
    onNews: (one) => void news.push(one),
    onEnded: (problem) => void ended.push(problem),
  });
  onTestFinished(() => calls.close());
  return { calls, facts, news, ended, ...place };
}

test('a thread writes, and another reads what was written', async () => {
  const { calls, facts, news } = await words();
  expect(facts).toBe('opened to create');
  expect(await Promise.all([calls.add('a'), calls.add('b'), calls.look()])).toEqual([1, 2, ['a', 'b']]);
  expect(await calls.read()).toEqual(['a', 'b']);
  expect(news).toEqual([2]);
});

test('a thread runs from TypeScript too, as in a clone', async () => {
  const { calls } = await words({ start: fromClone });
  expect(await calls.add('a')).toBe(1);
});

test('a thread that was started early opens what it is told later', async () => {
  const early = startThreadEarly(pathToFileURL(compiled(THREAD)));
  await once(early, 'online');
  const { calls, facts } = await words({ early });
  expect(facts).toBe('opened to create');
  expect(await calls.add('a')).toBe(1);
  await calls.close();
  expect(early.threadId).toBe(-1);
});

test('a thread that was started early and has ended is replaced', async () => {
  const early = startThreadEarly(new URL('./no-such-module.js', import.meta.url));
  await new Promise((ended) => early.once('exit', ended));
  const { calls } = await words({ early });
  expect(await calls.add('a')).toBe(1);
});

test('an error of the thread is a Problem again, and a bug keeps its message', async () => {
  const { calls } = await words();
  await expect(calls.addAndLose('a')).rejects.toMatchObject({
    name: 'Problem',
    code: 'ledger-failed',
    message: 'the disk failed',
  });
  await expect(calls.addAndFail('a')).rejects.toThrow('a bug');
});

test('a call whose arguments cannot be sent fails alone', async () => {
  const { calls } = await words();
  const bug = (() => 'b') as unknown as string;
  const answers = await Promise.allSettled([calls.add('a'), calls.add(bug), calls.add('c')]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await calls.look()).toEqual(['a', 'c']);
});

test('a database that cannot be opened rejects with its Problem', async () => {
  const file = join(temporaryFolder(), 'no/such/folder/words.db');
  await expect(words({ file })).rejects.toMatchObject({ code: 'data-unwritable' });
});

test('closing waits for everything that was called', async () => {
  const { calls, file } = await words();
  const added = ['a', 'b', 'c'].map((word) => calls.add(word));
  await calls.close();
  expect(await Promise.all(added)).toEqual([1, 2, 3]);
  const again = await words({ file });
  expect(await again.calls.look()).toEqual(['a', 'b', 'c']);
});

test('if a thread ends by itself, what was answered is stored, and every other call fails with thread-ended', async () => {
  const { calls, ended, file } = await words();
  expect(await calls.add('stored')).toBe(1);
  const answers = await Promise.allSettled([calls.add('lost'), calls.exit(), calls.look()]);
  expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
    Array(3).fill('thread-ended'),
  );
  await expect(calls.add('later')).rejects.toMatchObject({ code: 'thread-ended' });
  expect(ended.map(({ code }) => code)).toEqual(['thread-ended']);
  const again = await words({ file });
  expect(await again.calls.look()).toEqual(['stored']);
});

test('a call that comes while the database is being closed fails, and closing still ends', async () => {
  const { calls } = await words();
  const closing = [calls.close(), calls.close()];
  const late = await Promise.allSettled([calls.add('late'), calls.read()]);
  expect(late.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
    Array(2).fill('thread-ended'),
  );
  await Promise.all(closing);
});

test('a thread that could not open to read is started again at the next read', async () => {
  const { calls, file } = await words();
  await calls.add('a');
  renameSync(file, `${file}.away`);
  await expect(calls.read()).rejects.toMatchObject({ code: 'ledger-missing' });
  renameSync(`${file}.away`, file);
  expect(await calls.read()).toEqual(['a']);
});
