/**
 * A process that npm seems to run, and that opens all the files it may, until its parent has been looked for twice.
 * Prints why it was asked to stop meanwhile.
 */
import { closeSync, openSync } from 'node:fs';
import { stopSignal } from '../../src/platform/signals.ts';

const TWO_LOOKS_MS = 1_200;

function openAll(): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return files;
  }
}

process.env.npm_lifecycle_event = 'start';
let reason = 'none';
void stopSignal().then((signal) => (reason = signal));
// The first look has to succeed.
setTimeout(() => {
  const files = openAll();
  setTimeout(() => {
    for (const file of files) closeSync(file);
    process.stdout.write(JSON.stringify({ files: files.length > 0, reason }), () => process.exit());
  }, TWO_LOOKS_MS);
}, TWO_LOOKS_MS / 4);
