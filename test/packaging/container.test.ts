import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { restsOf, stagesOf } from '../support/package.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const [build = [], final = []] = stagesOf(read('Dockerfile'));
const compose = parse(read('compose.yaml'));

test('the Dockerfile builds and runs on the same major version of Node and the same Debian', () => {
  const bases = [build, final].map((stage) => restsOf(stage, 'FROM')[0]);
  expect(bases).toEqual(['node:22-bookworm AS build', 'node:22-bookworm-slim']);
});

test('the Dockerfile copies what the repository has and .dockerignore lets through, and nothing else is let through', () => {
  const copied = restsOf(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1));
  const through = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(copied.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(through.map((line) => line.slice(1)).toSorted()).toEqual(copied.toSorted());
});

test('the Dockerfile runs as a user without rights, in a folder that is a volume', () => {
  expect([restsOf(final, 'USER'), restsOf(final, 'WORKDIR').at(-1), restsOf(final, 'VOLUME')]).toEqual([
    ['node'],
    '/data',
    ['/data'],
  ]);
});

const { teller, minecraft } = compose.services;

test('compose.yaml gives Teller a root that cannot be written, no capabilities, and its data in a volume', () => {
  expect(teller).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['teller:/data'] });
  expect(Object.keys(compose.volumes)).toEqual(['teller', 'minecraft']);
});

test('compose.yaml opens the port for votes, and neither the console nor RCON', () => {
  expect([teller.ports, minecraft.ports]).toEqual([['8192:8192'], ['25565:25565']]);
});

test('compose.yaml gives both sides the RCON password as a secret', () => {
  expect([teller.secrets, minecraft.secrets]).toEqual([['rcon-password'], ['rcon-password']]);
  expect(minecraft.environment.RCON_PASSWORD_FILE).toBe('/run/secrets/rcon-password');
  expect(compose.secrets['rcon-password']).toEqual({ file: './rcon-password.txt' });
});
