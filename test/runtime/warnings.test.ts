import { expect, onTestFinished, test } from 'vitest';
import { logWarnings } from '../../src/platform/warnings.ts';
import { keptLog } from '../support/log.ts';

test('logs a Node.js warning, and Node.js itself prints nothing', async () => {
  const before = process.listeners('warning');
  onTestFinished(() => {
    process.removeAllListeners('warning');
    for (const listener of before) process.on('warning', listener);
  });
  const { log, codes } = keptLog();
  logWarnings(log);
  logWarnings(log);
  process.emitWarning('11 abort listeners added', 'MaxListenersExceededWarning');
  await new Promise((resolve) => setImmediate(resolve));
  expect(codes).toEqual(['process-warning']);
  expect(process.listenerCount('warning')).toBe(1);
});
