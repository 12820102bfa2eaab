import { startVitest } from 'vitest/node';

/**
 * Runs one file of tests by itself, which prints what it finds out; the exit code says whether it passed.
 *
 * @param given what the file reads as JSON from the environment variable of this name.
 */
export async function runAlone(file: string, name: string, given: object): Promise<void> {
  process.env[name] = JSON.stringify(given);
  const run = await startVitest('test', [file], {
    ...{ config: 'vitest.slow.config.ts', include: [file], watch: false, disableConsoleIntercept: true },
    // What the test prints is the report; this is for what it did not expect.
    reporters: [
      {
        onTestCaseResult: (test) => {
          for (const { stack, message } of test.result().errors ?? [])
            process.stderr.write(`${stack ?? message}\n`);
        },
      },
    ],
  });
  await run.close();
}
