#!/usr/bin/env node
import { LEDGER_THREAD } from '../ledger/ledger-thread-module.ts';
import { ownModule } from '../platform/own-module.ts';
import { startThreadEarly } from '../platform/thread.ts';

// `run` is a program of its own, because code that it shared with other commands would be in many small files of the package.
if (process.argv[2] === 'run') {
  const ledgerThread = startThreadEarly(LEDGER_THREAD);
  const { runProgram }: typeof import('./run-program.ts') = await import(
    ownModule('run-program', import.meta.url).href
  );
  await runProgram(ledgerThread);
} else {
  const { anyProgram }: typeof import('./any-program.ts') = await import(
    ownModule('any-program', import.meta.url).href
  );
  await anyProgram();
}
