import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackage } from '../support/package.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/developers/library.md'), 'utf8');
const examples = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

const STRICT = {
  compilerOptions: {
    ...{
      target: 'ES2022',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      types: [],
      lib: ['ES2022', 'DOM'],
    },
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    },
  },
};

describe('the examples of the page for developers, with the package as it is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'teller-library-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const runs = (file: string) => spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });

  beforeAll(async () => {
    await installPackage(join(folder, 'node_modules/vote-teller'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  }, 120_000);

  test('run as ES modules', () => {
    writeFileSync(join(folder, 'example.js'), examples('js')[0] ?? '');
    expect(runs('example.js')).toMatchObject({ stdout: 'yes Steve MyList.example\n', stderr: '', status: 0 });
  });

  test('compile as strict TypeScript, and run', () => {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
    writeFileSync(join(folder, 'example.ts'), examples('ts')[0] ?? '');
    const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(compiled.stdout).toBe('');
    expect(compiled.status).toBe(0);
    const { stdout, stderr, status } = runs('example.js');
    expect({ stdout, status }).toEqual({ stdout: 'no port-refused\n', status: 0 });
    expect(stderr).toContain('Nothing listens at 127.0.0.1:9');
  });

  test('are all of the examples', () => {
    expect(['js', 'ts'].map((language) => examples(language).length)).toEqual([1, 1]);
  });

  test('import nothing else from the package', () => {
    writeFileSync(join(folder, 'inside.js'), `import 'vote-teller/dist/cli.js';`);
    expect(runs('inside.js').stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
