/**
 * Runs before each test file: threads that the product would start from source start from the compiled repository, because
 * loading TypeScript takes each of them half a second.
 */
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import workerThreads, { Worker, type WorkerOptions } from 'node:worker_threads';
import { compiled } from './processes.ts';

const IN_A_CLONE = /\/clone-thread\.mjs$/;

class CompiledWorker extends Worker {
  constructor(module: string | URL, options: WorkerOptions = {}) {
    const [source] = options.argv ?? [];
    if (IN_A_CLONE.test(String(module))) super(compiled(fileURLToPath(source)), { ...options, argv: [] });
    else super(module, options);
  }
}

if (workerThreads.Worker.name !== CompiledWorker.name) {
  Object.assign(workerThreads, { Worker: CompiledWorker });
  syncBuiltinESMExports();
}
