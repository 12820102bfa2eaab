import { spawnSync } from 'node:child_process';

/** Node has no call for it. A test that opens it and waits ends with its time limit. */
export function makePipe(file: string): void {
  const { status } = spawnSync('mkfifo', [file]);
  if (status !== 0) throw new Error(`mkfifo ended with ${status}`);
}
