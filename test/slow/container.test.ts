import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { furnish } from '../kit/place.ts';
import { typed } from '../support/npm.ts';
import { type Instruction, linkDependencies, restsOf, stagesOf } from '../support/package.ts';

const ROOT = join(import.meta.dirname, '../..');
const machines = mkdtempSync(join(tmpdir(), 'teller-container-'));
afterAll(() => rmSync(machines, { recursive: true, force: true }));

/**
 * The steps of a Dockerfile where Docker cannot run: each stage is a folder that stands for the root of its file system. What npm
 * downloads is replaced by the packages of this clone: all of them for `npm ci`, those that an installation has for `npm prune`.
 */
class Stage {
  readonly root: string;
  private folder = '/';

  constructor(
    name: string,
    private readonly from: Stage | null,
  ) {
    this.root = join(machines, name);
    for (const folder of ['usr/local/bin', 'data', 'build', 'opt/teller'])
      mkdirSync(join(this.root, folder), { recursive: true });
  }

  /** Absolute paths of the image, as paths below the stage's folder. */
  here = (line: string): string => line.replaceAll(/(?<=^|[\s"'])\/(?=opt|usr|data|build)/g, `${this.root}/`);

  at = (path: string): string => join(this.root, resolve(this.folder, path));

  take({ name, rest }: Instruction): void {
    if (name === 'WORKDIR') this.folder = rest;
    if (name === 'COPY') this.copy(rest.split(' '));
    if (name === 'RUN') this.run(rest);
  }

  private copy(words: readonly string[]): void {
    const isFromStage = words[0] === '--from=build';
    const names = words.slice(isFromStage ? 1 : 0, -1);
    const to = words.at(-1) ?? '';
    for (const name of names) {
      const source = isFromStage ? join(this.from?.root ?? '', name) : join(ROOT, name);
      const target = to === './' ? join(to, basename(name)) : to;
      cpSync(source, this.at(target), { recursive: true, verbatimSymlinks: true });
    }
  }

  private run(line: string): void {
    const modules = this.at('node_modules');
    if (line === 'npm ci') {
      symlinkSync(join(ROOT, 'node_modules'), modules);
      this.shell('npm run prepare');
    } else if (line === 'npm prune --omit=dev') {
      rmSync(modules);
      linkDependencies(modules);
    } else this.shell(line);
  }

  private shell(line: string): void {
    // The user `node` is the image's.
    const command = this.here(line.replace('-o node -g node ', ''));
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: this.at('.'), encoding: 'utf8' });
    expect(status, `${line}\n${stderr}`).toBe(0);
  }
}

test('the steps of the Dockerfile, in order, give a Teller that runs and that its healthcheck finds ready', async () => {
  const [first = [], second = []] = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const build = new Stage('build-stage', null);
  for (const instruction of first) build.take(instruction);
  const image = new Stage('image', build);
  for (const instruction of second) image.take(instruction);
  expect(existsSync(join(image.root, 'opt/teller/node_modules/tsx'))).toBe(false);

  const data = image.at('.');
  furnish(data);
  const [entry = ''] = JSON.parse(restsOf(second, 'ENTRYPOINT')[0] ?? '[]');
  const words: string[] = JSON.parse(restsOf(second, 'CMD')[0] ?? '[]');
  const started = await typed(join(image.root, 'usr/local/bin', entry), words, data);

  await expect
    .poll(() => /"url":"http:[^"]*:(\d+)"/.exec(started.output())?.[1], { timeout: 30_000 })
    .toBeDefined();
  const [, port = ''] = /"url":"http:[^"]*:(\d+)"/.exec(started.output()) ?? [];
  const [program = '', ...given]: string[] = JSON.parse(
    /CMD (\[.*\])/.exec(restsOf(second, 'HEALTHCHECK')[0] ?? '')?.[1] ?? '[]',
  );
  const healthcheck = (at: string) =>
    spawnSync(
      program,
      given.map((word) => word.replace(':8193/', `:${at}/`)),
    ).status;
  expect(healthcheck(port)).toBe(0);

  started.process.kill('SIGTERM');
  await expect.poll(() => healthcheck(port), { timeout: 30_000 }).toBe(1);
  expect(existsSync(join(data, 'data/teller.db'))).toBe(true);
});
