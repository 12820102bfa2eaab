import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compile } from './compile.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the compiled repository, from which tests start processes. */
    compiled: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'teller-compiled-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    project.provide('compiled', compile(folder));
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}
